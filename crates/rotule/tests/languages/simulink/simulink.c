/* Runs a block once: what Simulink's own file of this name lets Simulink do. Prints outputs as demos do. */
static real_T *mock_numbers(int count)
{
    real_T *numbers = malloc((size_t)count * sizeof(real_T));
    mock_need(count > 0 && numbers != NULL, "memory");
    return numbers;
}

static void mock_run(const char *function, const char *const *outputs, int output_count, mxArray parameter,
        const real_T *time, const mxArray *inputs, int input_count)
{
    SimStruct block = {0};
    SimStruct *S = &block;
    int first;
    S->parameter = parameter;
    S->given = parameter.count > 0;
    mdlInitializeSizes(S);
    mock_need(S->error == NULL, "sizes");
    mock_need(S->wanted == S->given && S->tunable == S->given && S->sample_times == 1, "sizes");
    mdlInitializeSampleTimes(S);
    mock_need(S->inherited, "the sample time is to be inherited");
    for (int i = 0; i < S->works; i++) {
        S->work[i] = mock_numbers(S->work_width[i]);
    }
    for (int i = 0; i < S->outputs; i++) {
        S->output[i].signal = mock_numbers(S->output[i].width);
    }
    first = S->inputs - input_count;
    mock_need(first == 0 || first == 1, "number of inputs");
    for (int i = 0; i < S->inputs; i++) {
        int count = i < first ? 1 : (int)inputs[i - first].count;
        mock_need(S->input[i].width == count, "width of an input");
        mock_need(S->input[i].contiguous && S->input[i].feedthrough, "inputs are read at once");
        S->input[i].signal = mock_numbers(count);
        for (int j = 0; j < count; j++) {
            S->input[i].signal[j] = i < first ? *time : inputs[i - first].numbers[j];
        }
    }
#ifdef MDL_START
    /* First with wrong parameters, which are then changed. */
    real_T *wrong = mock_numbers((int)parameter.count);
    for (size_t i = 0; i < parameter.count; i++) {
        wrong[i] = 1.0 + parameter.numbers[i];
    }
    S->parameter.numbers = wrong;
    mdlStart(S);
    S->error = NULL;
    S->parameter = parameter;
    mdlProcessParameters(S);
    free(wrong);
    mock_need(S->error == NULL, "setup");
    S->parameter.count++;
    mdlCheckParameters(S);
    mock_need(S->error != NULL, "a parameter too many is refused");
#endif
    mdlOutputs(S, 0);
    mock_need(S->outputs == output_count || S->outputs == output_count + 1, "number of outputs");
    for (int k = 0; k < output_count; k++) {
        const MockPort *port = &S->output[k];
        for (int i = 0; i < port->rows; i++) {
            for (int j = 0; j < port->columns; j++) {
                printf("%s %s %d %d %.17g\n", function, outputs[k], i + 1, j + 1, port->signal[i + port->rows * j]);
            }
        }
    }
    mdlTerminate(S);
    for (int i = 0; i < S->works; i++) {
        free(S->work[i]);
    }
    for (int i = 0; i < S->outputs; i++) {
        free(S->output[i].signal);
    }
    for (int i = 0; i < S->inputs; i++) {
        free(S->input[i].signal);
    }
}

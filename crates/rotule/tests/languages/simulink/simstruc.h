/* A stand-in for the part of Simulink's S-function interface that generated blocks use: enough to run a block once
 * without Simulink. Sizes are checked and memory is allocated exactly, so that sanitizers see any slip. */
#ifndef SIMSTRUC_H
#define SIMSTRUC_H

#include <stdio.h>
#include <stdlib.h>

typedef double real_T;
typedef int int_T;
typedef struct {
    const double *numbers;
    size_t count;
} mxArray;

typedef struct {
    int width, rows, columns, contiguous, feedthrough;
    real_T *signal;
} MockPort;

typedef struct {
    int wanted, given, tunable, sample_times, inherited;
    mxArray parameter;
    int inputs, outputs, works;
    MockPort input[8], output[8];
    int work_width[16];
    void *work[16];
    const char *error;
} SimStruct;

#define SS_DOUBLE 0
#define SS_OPTION_EXCEPTION_FREE_CODE 1
#define INHERITED_SAMPLE_TIME -1.0
#define UNUSED_ARG(x) (void)(x)

static void mock_need(int condition, const char *text)
{
    if (!condition) {
        fprintf(stderr, "mock: %s\n", text);
        exit(1);
    }
}

#define ssSetNumSFcnParams(S, n) ((S)->wanted = (n))
#define ssGetNumSFcnParams(S) ((S)->wanted)
#define ssGetSFcnParamsCount(S) ((S)->given)
#define ssSetSFcnParamTunable(S, at, yes) ((S)->tunable = (at) == 0 && (yes))
#define ssGetSFcnParam(S, at) (mock_need((at) < (S)->given, "no such parameter"), &(S)->parameter)
#define mxIsDouble(array) ((array)->numbers != NULL)
#define mxIsComplex(array) ((void)(array), 0)
#define mxIsSparse(array) ((void)(array), 0)
#define mxGetNumberOfElements(array) ((array)->count)
#define mxGetPr(array) ((array)->numbers)
#define ssSetErrorStatus(S, text) ((S)->error = (text))
#define ssGetErrorStatus(S) ((S)->error)
#define ssSetNumContStates(S, n) mock_need((n) == 0, "a block without states")
#define ssSetNumDiscStates(S, n) mock_need((n) == 0, "a block without states")
#define ssSetNumInputPorts(S, n) ((S)->inputs = (n), (n) <= 8)
#define ssSetNumOutputPorts(S, n) ((S)->outputs = (n), (n) <= 8)
#define ssSetInputPortWidth(S, at, n) (mock_need((n) > 0, "a port without numbers"), (S)->input[at].width = (n))
#define ssSetInputPortRequiredContiguous(S, at, yes) ((S)->input[at].contiguous = (yes))
#define ssSetInputPortDirectFeedThrough(S, at, yes) ((S)->input[at].feedthrough = (yes))
#define ssSetOutputPortMatrixDimensions(S, at, m, n) \
    ((S)->output[at].rows = (m), (S)->output[at].columns = (n), (S)->output[at].width = (m) * (n))
#define ssSetOutputPortWidth(S, at, n) ssSetOutputPortMatrixDimensions(S, at, n, 1)
#define ssSetNumSampleTimes(S, n) ((S)->sample_times = (n))
#define ssSetSampleTime(S, at, time) ((S)->inherited = (at) == 0 && (time) == INHERITED_SAMPLE_TIME)
#define ssSetOffsetTime(S, at, time) mock_need((at) == 0 && (time) == 0.0, "no offset")
#define ssSetModelReferenceSampleTimeDefaultInheritance(S) (void)(S)
#define ssSetNumDWork(S, n) ((S)->works = (n), mock_need((n) <= 16, "too many work vectors"))
#define ssSetDWorkWidth(S, at, n) ((S)->work_width[at] = (n))
#define ssSetDWorkDataType(S, at, type) mock_need((type) == SS_DOUBLE, "work vectors of numbers")
#define ssSetOptions(S, options) mock_need((options) == SS_OPTION_EXCEPTION_FREE_CODE, "options")
#define ssGetDWork(S, at) (mock_need((at) < (S)->works, "no such work vector"), (S)->work[at])
#define ssGetInputPortRealSignal(S, at) \
    (mock_need((at) < (S)->inputs, "no such input"), (const real_T *)(S)->input[at].signal)
#define ssGetOutputPortRealSignal(S, at) \
    (mock_need((at) < (S)->outputs, "no such output"), (S)->output[at].signal)

#endif

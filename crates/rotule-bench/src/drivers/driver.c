/* Checks, times and counts libraries that are made alike; see contender.h.
 *
 *   driver check STATES RESULTS SIZE LIBRARY FUNCTION MODEL
 *   driver count STATES LIBRARY FUNCTION MODEL
 *   driver time  STATES REPEATS MILLISECONDS (LIBRARY FUNCTION MODEL)...
 *
 * `check` writes SIZE results for each state. `count` prints the instructions of one run: a child takes single
 * steps, so that any instruction set will do and the number repeats exactly. `time` pins itself to the last processor
 * that it may use and lets all libraries take turns, so that whatever else the machine does disturbs all alike. For
 * each it prints the least and the median time per state in nanoseconds.
 */
#define _GNU_SOURCE
#include "contender.h"
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct contender {
    int (*open)(const char *, const char *, const struct states *, const char **);
    void (*run)(int);
    void (*read)(int, int, double *);
    int lanes, packs;
    long runs; /* in a repeat */
    double *times;
};

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why ? why : "unknown reason");
    exit(1);
}

static struct states load_states(const char *path)
{
    FILE *file = fopen(path, "rb");
    double head[4];
    if (!file || fread(head, sizeof head, 1, file) != 1)
        fail(path, "cannot be read");
    struct states all = {(int)head[0], (int)head[1], (int)head[2], (int)head[3], 0};
    size_t total = (size_t)all.count * (size_t)states_stride(&all);
    double *numbers = malloc(total * sizeof(double));
    if (!numbers || fread(numbers, sizeof(double), total, file) != total)
        fail(path, "is too short");
    fclose(file);
    all.numbers = numbers;
    return all;
}

static struct contender load(char **words, const struct states *all)
{
    struct contender one = {0};
    void *library = dlopen(words[0], RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(words[0], dlerror());
    *(void **)&one.open = dlsym(library, "contender_open");
    *(void **)&one.run = dlsym(library, "contender_run");
    *(void **)&one.read = dlsym(library, "contender_read");
    if (!one.open || !one.run || !one.read)
        fail(words[0], "offers not what contender.h says");
    const char *why = 0;
    one.lanes = one.open(words[1], words[2], all, &why);
    if (one.lanes <= 0)
        fail("refused", why);
    one.packs = all->count / one.lanes;
    if (one.packs == 0)
        fail(words[0], "needs more states");
    return one;
}

static int check(char **words)
{
    struct states all = load_states(words[0]);
    FILE *file = fopen(words[1], "wb");
    size_t size = strtoul(words[2], 0, 10);
    double *results = calloc(size + 1, sizeof(double));
    if (!file || !results)
        fail(words[1], "cannot be written");
    struct contender one = load(words + 3, &all);
    for (int pack = 0; pack < one.packs; pack++) {
        one.run(pack);
        for (int lane = 0; lane < one.lanes; lane++) {
            one.read(pack, lane, results);
            if (fwrite(results, sizeof(double), size, file) != size)
                fail(words[1], "cannot be written");
        }
    }
    if (fclose(file))
        fail(words[1], "cannot be written");
    printf("%d %d\n", one.lanes, one.packs * one.lanes);
    return 0;
}

/* Runs between two stops, whose cost is the same however many they are. */
static void section(const struct contender *one, int runs)
{
    for (int at = 0; at < runs; at++)
        one->run(0);
    raise(SIGSTOP);
}

/* The steps that a child takes until its next stop; negative if it cannot be watched. */
static long steps(pid_t child)
{
    int status;
    for (long taken = 0;; taken++) {
        if (ptrace(PTRACE_SINGLESTEP, child, 0, 0) || waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
            return -1;
        if (WSTOPSIG(status) == SIGSTOP)
            return taken;
        if (WSTOPSIG(status) != SIGTRAP)
            return -1;
    }
}

static int count(char **words)
{
    struct states all = load_states(words[0]);
    struct contender one = load(words + 1, &all);
    one.run(0);
    pid_t child = fork();
    if (child < 0)
        fail("fork", "is not possible");
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, 0, 0))
            _exit(1);
        section(&one, 1);
        section(&one, 1);
        section(&one, 2);
        _exit(0);
    }
    int status;
    long once = -1, twice = -1;
    if (waitpid(child, &status, 0) >= 0 && WIFSTOPPED(status) && (once = steps(child)) >= 0)
        twice = steps(child);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    if (once < 0 || twice < 0)
        fail("single steps", "are not possible here");
    printf("%ld %d\n", twice - once, one.lanes);
    return 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(const struct contender *one, long runs)
{
    double begun = now();
    int pack = 0;
    for (long run = 0; run < runs; run++) {
        one->run(pack);
        pack = pack + 1 == one->packs ? 0 : pack + 1;
    }
    return now() - begun;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int pin(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return -1;
    for (int core = CPU_SETSIZE - 1; core >= 0; core--) {
        if (CPU_ISSET(core, &set)) {
            CPU_ZERO(&set);
            CPU_SET(core, &set);
            return sched_setaffinity(0, sizeof set, &set) ? -1 : core;
        }
    }
    return -1;
}

static int time_all(int words, char **word)
{
    struct states all = load_states(word[0]);
    int repeats = atoi(word[1]), many = (words - 3) / 3;
    double least = atof(word[2]) * 1e-3;
    if (repeats < 1 || many < 1 || !(least > 0.0))
        fail("time", "needs repeats, milliseconds and libraries");
    struct contender *ones = calloc((size_t)many, sizeof *ones);
    if (!ones)
        fail("memory", "is short");
    printf("core %d\n", pin());
    for (int at = 0; at < many; at++) {
        struct contender *one = &ones[at];
        *one = load(word + 3 + 3 * at, &all);
        one->times = calloc((size_t)repeats, sizeof(double));
        if (!one->times)
            fail("memory", "is short");
        /* As many runs as take the time that was asked for, in whole rounds over the states. */
        one->runs = one->packs;
        double taken;
        while ((taken = seconds(one, one->runs)) < least)
            one->runs = taken < least / 10 ? 4 * one->runs : (long)((double)one->runs * 1.15 * least / taken) + one->packs;
    }
    for (int repeat = 0; repeat < repeats; repeat++) {
        for (int at = 0; at < many; at++) {
            struct contender *one = &ones[at];
            /* Caches, branches and the clock get used to it first. */
            seconds(one, one->runs / 10 + 1);
            one->times[repeat] = seconds(one, one->runs) / (double)one->runs / one->lanes;
        }
    }
    for (int at = 0; at < many; at++) {
        qsort(ones[at].times, (size_t)repeats, sizeof(double), compare);
        printf("%.6f %.6f\n", 1e9 * ones[at].times[0], 1e9 * ones[at].times[repeats / 2]);
    }
    return 0;
}

int main(int words, char **word)
{
    if (words == 8 && !strcmp(word[1], "check"))
        return check(word + 2);
    if (words == 6 && !strcmp(word[1], "count"))
        return count(word + 2);
    if (words >= 8 && (words - 5) % 3 == 0 && !strcmp(word[1], "time"))
        return time_all(words - 2, word + 2);
    fail("driver", "check, count or time");
    return 1;
}

/* The input of a file that runs in bands: window after window of its rows (plan/windows.c). */
#ifndef CORE_JOB_FLOW_INPUT_H
#define CORE_JOB_FLOW_INPUT_H

#include "flow_rows.h"

typedef struct FlowInput {
    HaloReader *reader;
    const Bands *bands;
    FlowRows *rows;
    bool endless; /* the reader does not know the length */
} FlowInput;

/* Window k goes into the buffer that a band before it no longer needs. *at_end: it is the last. */
HaloStatus flow_input_window(FlowInput *input, int64_t k, bool *at_end);

#endif

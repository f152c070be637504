/* Any bytes as an expression: either a program that keeps within its stack, or an error with its position. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expression.h"
#include "halo/program.h"
#include "oracle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_stack(const HaloProgram *program)
{
    int depth = 0;
    for (int i = 0; i < program->length; i++) {
        depth -= halo_code_takes(program->at[i].code);
        if (depth < 0 || ++depth > HALO_MAX_STACK) abort();
    }
    if (depth != 1) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    HaloProgram program;
    char *const text = calloc(size + 1, 1);
    if (text == NULL) return 0;
    memcpy(text, data, size);
    const HaloStatus status = expression_compile("fuzz", text, "ab", &program);
    if (status == HALO_OK) {
        check_stack(&program);
        const double got = halo_program_run(&program, 3.5, -2.0, 0.0);
        const double expected = oracle_program(&program, 3.5, -2.0, 0.0);
        if (!(isnan(got) && isnan(expected)) && memcmp(&got, &expected, sizeof got) != 0) abort();
    } else if (status != HALO_ERR_USAGE || strncmp(halo_error(), "fuzz: ", 6) != 0) {
        abort();
    }
    free(text);
    return 0;
}

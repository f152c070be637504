/* The text of Netpbm files: headers, and the numbers of the plain variants. */
#include "halo/text.h"
#include "pnm.h"

#include <stdlib.h>
#include <string.h>

#define MAX_NUMBER 0x7fffffff
#define MAX_LINE 256

/* ---- numbers -------------------------------------------------------------------------------------------- */

static HaloStatus next_byte(HaloSource *source, int *c)
{
    uint8_t byte;
    size_t got;
    const HaloStatus status = halo_source_read(source, &byte, 1, &got);
    *c = got == 1 ? byte : PNM_END;
    return status;
}

/* A comment counts as the line end that closes it. */
HaloStatus halo_pnm_next_char(HaloSource *source, int *c)
{
    HaloStatus status = next_byte(source, c);
    if (status != HALO_OK || *c != '#') return status;
    while (status == HALO_OK && *c != '\n' && *c != PNM_END) status = next_byte(source, c);
    return status;
}

HaloStatus halo_pnm_unexpected(int c)
{
    if (c == PNM_END) return halo_fail(HALO_ERR_INPUT, "truncated: expected a number");
    if (halo_is_print((char)c)) return halo_fail(HALO_ERR_INPUT, "expected a number, found '%c'", c);
    return halo_fail(HALO_ERR_INPUT, "expected a number, found byte %d", c);
}

/* A number and the one character behind it. */
HaloStatus halo_pnm_next_number(HaloSource *source, int64_t *number)
{
    HaloStatus status = HALO_OK;
    uint64_t value = 0;
    int c = ' ';
    while (halo_is_blank((char)c)) HALO_TRY(halo_pnm_next_char(source, &c));
    if (!halo_is_digit((char)c)) return halo_pnm_unexpected(c);
    while (halo_is_digit((char)c)) {
        if (!halo_add_digit(&value, (char)c, MAX_NUMBER))
            HALO_FAIL(HALO_ERR_INPUT, "a number is above %d", MAX_NUMBER);
        HALO_TRY(halo_pnm_next_char(source, &c));
    }
    *number = (int64_t)value;
    if (c != PNM_END && !halo_is_blank((char)c)) return halo_pnm_unexpected(c);
out:
    return status;
}

/* ---- headers -------------------------------------------------------------------------------------------- */

HaloStatus halo_pnm_read_head(HaloSource *source, char type, PnmHead *head)
{
    HaloStatus status = HALO_OK;
    *head = (PnmHead){.depth = type == '3' || type == '6' ? 3 : 1, .maxval = 1};
    HALO_TRY(halo_pnm_next_number(source, &head->width));
    HALO_TRY(halo_pnm_next_number(source, &head->height));
    if (type != '1' && type != '4') HALO_TRY(halo_pnm_next_number(source, &head->maxval));
out:
    return status;
}

/* One line of a PAM header without its end. Comments may have any length. */
static HaloStatus next_line(HaloSource *source, char line[MAX_LINE])
{
    HaloStatus status = HALO_OK;
    size_t size = 0;
    for (int c = 0;;) {
        HALO_TRY(next_byte(source, &c));
        if (c == PNM_END) HALO_FAIL(HALO_ERR_INPUT, "truncated: a PAM header without ENDHDR");
        if (c == '\n') break;
        if (size < MAX_LINE - 1)
            line[size++] = (char)c;
        else if (line[0] != '#')
            HALO_FAIL(HALO_ERR_INPUT, "a line of the PAM header is too long");
    }
    line[size] = '\0';
out:
    return status;
}

static HaloStatus parse_field(const char *line, const char *key, size_t length, int64_t *value)
{
    const char *end;
    if (*value != 0) return halo_fail(HALO_ERR_INPUT, "%s twice in the PAM header", key);
    line += length;
    while (halo_is_blank(*line)) line++;
    bool read = halo_read_int(line, 1, MAX_NUMBER, value, &end);
    while (read && halo_is_blank(*end)) end++;
    if (!read || *end != 0) return halo_fail(HALO_ERR_INPUT, "bad %s in the PAM header", key);
    return HALO_OK;
}

static HaloStatus parse_line(const char *line, PnmHead *head)
{
    const struct {
        const char *key;
        int64_t *value;
    } field[] = {
        {"WIDTH", &head->width}, {"HEIGHT", &head->height}, {"DEPTH", &head->depth}, {"MAXVAL", &head->maxval}};
    const size_t length = strcspn(line, " \t\v\f\r");
    for (size_t i = 0; i < sizeof field / sizeof *field; i++) {
        if (strlen(field[i].key) == length && memcmp(field[i].key, line, length) == 0) {
            return parse_field(line, field[i].key, length, field[i].value);
        }
    }
    if (length == 0 || line[0] == '#') return HALO_OK;
    if (length != 8 || memcmp(line, "TUPLTYPE", 8) != 0)
        return halo_fail(HALO_ERR_INPUT, "unknown line in the PAM header");
    if (strstr(line, "_ALPHA") != NULL) head->alpha = true;
    return HALO_OK;
}

HaloStatus halo_pam_read_head(HaloSource *source, PnmHead *head)
{
    HaloStatus status = HALO_OK;
    char line[MAX_LINE];
    *head = (PnmHead){0};
    HALO_TRY(next_line(source, line)); /* what stands behind "P7" */
    for (;;) {
        HALO_TRY(next_line(source, line));
        if (strcmp(line, "ENDHDR") == 0) break;
        HALO_TRY(parse_line(line, head));
    }
    if (head->width == 0 || head->height == 0 || head->depth == 0 || head->maxval == 0) {
        HALO_FAIL(HALO_ERR_INPUT, "the PAM header lacks WIDTH, HEIGHT, DEPTH or MAXVAL");
    }
out:
    return status;
}

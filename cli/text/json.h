/* JSON, written piece by piece: commas and quotes come by themselves. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct CliJson {
    FILE *to;
    bool comma; /* something stands before in the present object or array */
} CliJson;

/* `key` is NULL in arrays and for the outermost object. */
void json_open(CliJson *json, const char *key, char bracket); /* '{' or '[' */
void json_close(CliJson *json, char bracket);                 /* '}' or ']' */
void json_end_line(CliJson *json);                            /* after the outermost object */

/* Bytes that are not UTF-8 become U+FFFD. NULL: null. */
void json_text(CliJson *json, const char *key, const char *text);
void json_int(CliJson *json, const char *key, int64_t value);
void json_uint(CliJson *json, const char *key, uint64_t value);
/* 17 significant digits, which give the same double back; "inf" and "-inf"; null for NaN. */
void json_number(CliJson *json, const char *key, double value);
void json_bool(CliJson *json, const char *key, bool value);
void json_null(CliJson *json, const char *key);
void json_positive(CliJson *json, const char *key, double value); /* null for what is not known: 0 */

#endif

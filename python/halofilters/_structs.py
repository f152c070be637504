"""The types, constants and structs of libhalo (halo/halo.h) for ctypes."""

import ctypes as c

MAX_DIMS = 6
HOST = -1
NONE = -1
NO_SCALE = -1.0

U8, U16, U32, I8, I16, I32, I64, F16, F32, F64 = range(1, 11)
# By element type: the code of struct and array.array, NumPy's name, bytes.
CODE = {U8: "B", U16: "H", U32: "I", I8: "b", I16: "h", I32: "i", I64: "q", F16: "e", F32: "f", F64: "d"}
NAME = {
    U8: "uint8",
    U16: "uint16",
    U32: "uint32",
    I8: "int8",
    I16: "int16",
    I32: "int32",
    I64: "int64",
    F16: "float16",
    F32: "float32",
    F64: "float64",
}
SIZE = {U8: 1, U16: 2, U32: 4, I8: 1, I16: 2, I32: 4, I64: 8, F16: 2, F32: 4, F64: 8}
TYPE_OF_NAME = {name: kind for kind, name in NAME.items()}


class Struct(c.Structure):
    """A struct that begins with its size."""

    def __init__(self, **values):
        super().__init__(struct_size=c.sizeof(type(self)), **values)


class Array(Struct):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("data", c.c_void_p),
        ("type", c.c_int),
        ("dims", c.c_int),
        ("size", c.c_int64 * MAX_DIMS),
        ("stride", c.c_int64 * MAX_DIMS),
        ("axes", c.c_char * (MAX_DIMS + 2)),
        ("rate", c.c_double),
        ("white", c.c_double),
        ("alpha", c.c_int),
        ("gpu", c.c_int),
    ]


PROGRESS = c.CFUNCTYPE(c.c_bool, c.c_void_p, c.c_double)
MESSAGE = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p)
READ = c.CFUNCTYPE(c.c_int64, c.c_void_p, c.c_void_p, c.c_size_t)


class Options(Struct):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("device", c.c_int),
        ("precision", c.c_int),
        ("gpu", c.c_int),
        ("jobs", c.c_int),
        ("alpha", c.c_int),
        ("linear", c.c_bool),
        ("max_pixels", c.c_int64),
        ("max_memory", c.c_int64),
        ("share", c.c_int),
        ("files", c.c_int64),
        ("band_rows", c.c_int64),
        ("raw_bits", c.c_int),
        ("raw_big", c.c_bool),
        ("rate", c.c_double),
        ("columns", c.c_char_p),
        ("time", c.c_char_p),
        ("time_format", c.c_char_p),
        ("comma", c.c_bool),
        ("read_as", c.c_char_p),
        ("latency_ms", c.c_int),
        ("axes", c.c_char_p),
        ("white", c.c_double),
        ("tolerate", c.c_bool),
        ("verify", c.c_bool),
        ("progress", PROGRESS),
        ("message", MESSAGE),
        ("gpu_alloc", c.c_void_p),
        ("gpu_free", c.c_void_p),
        ("context", c.c_void_p),
    ]


class File(Struct):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("path", c.c_char_p),
        ("bytes", c.c_void_p),
        ("size", c.c_size_t),
        ("read", READ),
        ("write", READ),
        ("context", c.c_void_p),
        ("format", c.c_char_p),
        ("replace", c.c_bool),
        ("quality", c.c_int),
        ("level", c.c_int),
        ("bits", c.c_int),
        ("floats", c.c_bool),
        ("strip", c.c_bool),
        ("lossless", c.c_bool),
        ("effort", c.c_int),
    ]


class Bytes(c.Structure):
    """What halo_bytes_write collects."""

    _fields_ = [("data", c.c_void_p), ("size", c.c_size_t), ("capacity", c.c_size_t)]


class Operation(Struct):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("name", c.c_char_p),
        ("help", c.c_char_p),
        ("example", c.c_char_p),
        ("synonyms", c.c_char_p),
        ("images", c.c_bool),
        ("sound", c.c_bool),
        ("result", c.c_bool),
        ("parameters", c.c_int),
    ]


class Parameter(Struct):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("name", c.c_char_p),
        ("help", c.c_char_p),
        ("type", c.c_char_p),
        ("preset", c.c_char_p),
        ("choices", c.c_char_p),
        ("unit", c.c_char_p),
        ("least", c.c_double),
        ("greatest", c.c_double),
    ]


class Difference(Struct):
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("samples", c.c_int64),
        ("differing", c.c_int64),
        ("max", c.c_double),
        ("mean", c.c_double),
        ("rmse", c.c_double),
        ("max_x", c.c_int64),
        ("max_y", c.c_int64),
        ("max_channel", c.c_int),
        ("psnr", c.c_double),
        ("ssim", c.c_double),
        ("lag", c.c_double),
        ("correlation", c.c_double),
    ]

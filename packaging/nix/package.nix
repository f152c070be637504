# For nixpkgs (pkgs/by-name/ha/halo/package.nix), or in a checkout:
#   nix-build -E 'with import <nixpkgs> { }; (callPackage packaging/nix/package.nix { }).overrideAttrs { src = ./.; }'
# The address and the hash are those of a release's source archive.
{
  lib,
  stdenv,
  fetchurl,
  cmake,
  ninja,
  pkg-config,
  libpng,
  zlib,
  libsndfile,
  libjpeg,
  libtiff,
  flac,
  mpg123,
  libwebp,
  giflib,
  libheif,
  libjxl,
  lcms2,
  cfitsio,
  openexr,
  stb,
  libdeflate,
  isa-l,
  libebur128,
  kissfft,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "halo";
  version = "0.2.0";

  src = fetchurl {
    url = "https://example.org/halo/halo-${finalAttrs.version}.tar.gz";
    hash = lib.fakeHash;
  };

  outputs = [
    "out"
    "dev"
    "man"
  ];

  nativeBuildInputs = [
    cmake
    ninja
    pkg-config
  ];
  buildInputs = [
    libpng
    zlib
    libsndfile
    libjpeg
    libtiff
    flac
    mpg123
    libwebp
    giflib
    libheif
    libjxl
    lcms2
    cfitsio
    openexr
    stb
    libdeflate
    isa-l
    libebur128
    kissfft
  ];

  cmakeFlags = [
    (lib.cmakeBool "HALO_CUDA" false)
    (lib.cmakeBool "HALO_TESTS" false)
  ];

  # Loaded by name: the store's folders are not searched for them otherwise.
  postFixup = ''
    for file in $out/bin/halo $out/lib/libhalo.so; do
      patchelf --add-rpath ${
        lib.makeLibraryPath [
          libsndfile
          libtiff
          mpg123
          libwebp
          giflib
          libheif
          libjxl
          lcms2
          cfitsio
          openexr
        ]
      } $file
    done
  '';

  doInstallCheck = true;
  installCheckPhase = ''
    $out/bin/halo --version
    $out/bin/halo convert ../samples/lake.png lake.tif
    $out/bin/halo stats lake.tif ../samples/notes.wav
  '';

  meta = {
    description = "Filters and measures images and audio, with the same samples on every machine";
    license = lib.licenses.mit;
    mainProgram = "halo";
    platforms = lib.platforms.linux;
  };
})

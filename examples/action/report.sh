#!/usr/bin/env bash
# What the action does. Its inputs come as variables, so that no text of theirs is run.
set -euo pipefail

if [ -n "${INPUT_DOWNLOAD:-}" ]; then
	if [ -z "${INPUT_SHA256:-}" ]; then
		echo "::error::download-sha256 is needed with download: checksums.txt of the release has it." >&2
		exit 1
	fi
	folder=$(mktemp -d)
	curl --proto '=https' -fsSL --retry 3 -o "$folder/archive.tar.gz" "$INPUT_DOWNLOAD"
	echo "$INPUT_SHA256  $folder/archive.tar.gz" | sha256sum --check --quiet
	tar -xzf "$folder/archive.tar.gz" -C "$folder" errand
	PATH=$folder:$PATH
fi
if ! command -v errand >/dev/null; then
	echo "::error::The program errand is not on PATH: install it, or set download and download-sha256." >&2
	exit 1
fi

if [ -n "${INPUT_SOURCEMAPS:-}" ]; then
	errand sourcemaps upload --project="$INPUT_PROJECT" --release="${INPUT_RELEASE:-}" --url-prefix="${INPUT_URL_PREFIX:-~/}" -- "$INPUT_SOURCEMAPS"
fi
if [ "${INPUT_DEPLOY:-true}" = true ]; then
	# The commits since the last deploy come from git log, so the checkout needs its history: actions/checkout with fetch-depth: 0.
	errand deploy --project="$INPUT_PROJECT" --commit="$INPUT_COMMIT" --release="${INPUT_RELEASE:-$INPUT_COMMIT}" --environment="${INPUT_ENVIRONMENT:-production}"
fi

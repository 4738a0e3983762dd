#!/bin/sh
# Makes the certificates for tests/stage3/program/tls_test.py; needs OpenSSL. Each file has a certificate and its key,
# which is no secret. (certificate.pem and key.pem are older, and self-signed.)
set -eu
cd "$(dirname "$0")"
new_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out "$1"; }

new_key ca.key
openssl req -x509 -new -key ca.key -days 36500 -subj "/CN=a CA that only tests trust" -out ca.pem

signed() { # NAME SUBJECT-ALT-NAME DAYS
    new_key "$1.key"
    echo "subjectAltName=$2" >"$1.ext"
    openssl req -new -key "$1.key" -subj "/CN=$1" |
        openssl x509 -req -CA ca.pem -CAkey ca.key -days "$3" -extfile "$1.ext" >"$1.pem"
    cat "$1.key" >>"$1.pem"
    rm "$1.key" "$1.ext"
}
signed site IP:127.0.0.1,DNS:localhost 36500
signed other_host DNS:other.example 36500
signed expired IP:127.0.0.1 0
signed client DNS:client.example 36500
rm -f ca.key ca.srl

// Takes an exercise's place in meson.build: see there.

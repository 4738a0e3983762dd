// The beginning of a page that plays a recorded run.
"use strict";

Run.play(JSON.parse(Dom.byId("meta").textContent));

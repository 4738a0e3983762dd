// A module of this folder, in a page or in node. Two things of a C++ program go through
// here, and nothing else: what is thrown, and text that goes in and comes out.
//
// A page has it among its other scripts, as it is: `Module` is its only name there.
"use strict";

const Module = (() => {
  /// `bytes`: a module's. Promises a function that calls it: text in, text out. (Some
  /// browsers let a page compile only small modules at once, and others beside its work.)
  async function start(bytes) {
    const thrown = new Error("what the program has thrown");
    let x = null;
    const env = {
      throw_it() {
        throw thrown;
      },
    };
    /// Calls a function of the program's that may throw; `nothing` is the result if it does.
    const invoke = nothing => (which, ...rest) => {
      const stack = x.__stack_pointer.value;
      try {
        return x.__indirect_function_table.get(which)(...rest);
      } catch (error) {
        if (error !== thrown)
          throw error; // a trap: the program is wrong
        x.__stack_pointer.value = stack;
        x.set_threw();
        return nothing;
      }
    };
    const compiled = await WebAssembly.compile(bytes);
    for (const { module: from, name } of WebAssembly.Module.imports(compiled)) {
      if (from !== "env" || (name !== "throw_it" && !name.startsWith("invoke_")))
        throw new Error(`the module wants ${from}.${name}, which a page doesn't have`);
      // One for each kind of function; the first letter is that of its result: j, 64 bits.
      env[name] ??= invoke(name.startsWith("invoke_j") ? 0n : 0);
    }
    x = (await WebAssembly.instantiate(compiled, { env })).exports;
    x._initialize();

    return text => {
      const given = new TextEncoder().encode(text);
      const at = x.input(given.length);
      new Uint8Array(x.memory.buffer, at, given.length).set(given);
      x.call();
      return new TextDecoder().decode(new Uint8Array(x.memory.buffer, x.output(), x.output_size()));
    };
  }

  return { start };
})();

if (typeof module !== "undefined")
  module.exports = Module;

// The part of WebAssembly's JavaScript interface used here: Node's types have it only with the DOM library.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array);
    private readonly brand: 'module';
  }
  class Memory {
    constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
    readonly buffer: ArrayBuffer | SharedArrayBuffer;
    grow(pages: number): number;
  }
  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>);
    readonly exports: Record<string, unknown>;
  }
  function validate(bytes: Uint8Array): boolean;
}

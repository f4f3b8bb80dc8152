import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { PrismaClient } from './generated/prisma/client.ts';

type Guts = { _engineConfig?: { compilerWasm?: { getQueryCompilerWasmModule: () => Promise<WebAssembly.Module> } } };

const packaged = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs';

let compiling: Promise<WebAssembly.Module> | undefined;

/**
 * Compiles Prisma's query compiler, once for all clients, on threads beside the main one. Prisma would import the module
 * that holds it, and Node would then keep its 4.5 MB of text for ever, twice.
 */
const compileQueryCompiler = (): Promise<WebAssembly.Module> => (compiling ??= WebAssembly.compile(readBytes()));

/**
 * Has a client take a compiler that all clients share, when it first asks something. A client that is made in another way is
 * left as it is.
 */
export function shareQueryCompiler(client: PrismaClient): void {
  const { compilerWasm } = (client as unknown as Guts)._engineConfig ?? {};
  if (compilerWasm) compilerWasm.getQueryCompilerWasmModule = compileQueryCompiler;
}

/** The module's one line is `const wasm = "…"`. */
function readBytes(): Buffer<ArrayBuffer> {
  const source = readFileSync(createRequire(import.meta.url).resolve(packaged), 'latin1');
  return Buffer.from(source.slice(source.indexOf('"') + 1, source.lastIndexOf('"')), 'base64');
}

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { lazy } from '../core/lazy.ts';
import type { PrismaClient } from './generated/prisma/client.ts';

type ClientInternals = {
  _engineConfig?: { compilerWasm?: { getQueryCompilerWasmModule: () => Promise<WebAssembly.Module> } };
};

const packaged = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs';

/**
 * Compiles Prisma's query compiler once for all clients, off the main thread. Prisma itself would import the module
 * that contains it, and Node would then keep its 4.5 MB of source text forever, twice.
 */
const compileQueryCompiler = lazy(() => WebAssembly.compile(readBytes()));

/**
 * Makes a client use the shared compiler, which it loads with its first query. Does nothing if Prisma's internals
 * differ.
 */
export function shareQueryCompiler(client: PrismaClient): void {
  const { compilerWasm } = (client as unknown as ClientInternals)._engineConfig ?? {};
  if (compilerWasm) compilerWasm.getQueryCompilerWasmModule = compileQueryCompiler;
}

/** The module is a single line: `const wasm = "…"`. */
function readBytes(): Buffer<ArrayBuffer> {
  const source = readFileSync(createRequire(import.meta.url).resolve(packaged), 'latin1');
  return Buffer.from(source.slice(source.indexOf('"') + 1, source.lastIndexOf('"')), 'base64');
}

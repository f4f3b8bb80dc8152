import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { PrismaClient } from './generated/prisma/client.ts';

type Guts = { _engineConfig?: { compilerWasm?: { getQueryCompilerWasmModule: () => Promise<WebAssembly.Module> } } };

const packaged = '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs';

/**
 * Has a client read its query compiler as bytes, and compile it off the main thread. Prisma would import it, and Node
 * would then keep a text of 4.5 MB for ever, twice. A client that is made otherwise is left as it is.
 */
export function readCompilerAsBytes(client: PrismaClient): void {
  const { compilerWasm } = (client as unknown as Guts)._engineConfig ?? {};
  if (compilerWasm) compilerWasm.getQueryCompilerWasmModule = compileQueryCompiler;
}

/** The module's one line is `const wasm = "…"`. */
async function compileQueryCompiler(): Promise<WebAssembly.Module> {
  const source = await readFile(createRequire(import.meta.url).resolve(packaged), 'latin1');
  const base64 = source.slice(source.indexOf('"') + 1, source.lastIndexOf('"'));
  return WebAssembly.compile(Buffer.from(base64, 'base64'));
}

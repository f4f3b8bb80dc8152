import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusal } from './boundaries.ts';

type Import = { source: { value: string } | null; importKind?: string; exportKind?: string };
type Rule = { filename: string; report: (fault: { node: unknown; message: string }) => void };

const root = fileURLToPath(new URL('..', import.meta.url));

/** The oxlint rule `parley/boundaries`, for static imports, re-exports and dynamic imports. */
export default {
  meta: { name: 'parley' },
  rules: {
    boundaries: {
      create(rule: Rule) {
        const check = (node: Import): void => {
          const specifier = node.source?.value;
          if (typeof specifier !== 'string') return;
          const target = specifier.startsWith('.')
            ? relative(root, resolve(dirname(rule.filename), specifier))
            : specifier;
          const typeOnly = node.importKind === 'type' || node.exportKind === 'type';
          const why = refusal(relative(root, rule.filename), target, typeOnly);
          if (why) rule.report({ node, message: `May not import ${target}: ${why}.` });
        };
        return {
          ImportDeclaration: check,
          ImportExpression: check,
          ExportNamedDeclaration: check,
          ExportAllDeclaration: check,
        };
      },
    },
  },
};

import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { refusal } from './boundaries.ts';

type Import = { source: { value: string } | null; importKind?: string; exportKind?: string };
type Comment = { loc: { start: { line: number }; end: { line: number } } };
type Rule = {
  filename: string;
  sourceCode: { lines: string[]; getAllComments: () => Comment[] };
  report: (fault: { node: unknown; message: string }) => void;
};

/** As wide as the formatter lets code be, which it does not do to comments. */
const width = 120;

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * The oxlint rules `parley/boundaries`, for static imports, re-exports and dynamic imports, and `parley/comment-width`.
 */
export default {
  meta: { name: 'parley' },
  rules: {
    boundaries: {
      create(rule: Pick<Rule, 'filename' | 'report'>) {
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
    'comment-width': {
      create: ({ sourceCode, report }: Rule) => ({
        Program() {
          for (const node of sourceCode.getAllComments()) {
            const lines = sourceCode.lines.slice(node.loc.start.line - 1, node.loc.end.line);
            const isWide = lines.some((line) => line.length > width);
            if (isWide) report({ node, message: `A line of a comment has at most ${width} characters.` });
          }
        },
      }),
    },
  },
};

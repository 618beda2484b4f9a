import { defineConfig } from 'rolldown';

/** With all they import: what nearly every run needs before its first request, in one file, because each one costs. */
const RUN =
  /src\/(cli\/commands\/run|agent\/agent|console\/index|llm\/call\/engine|llm\/codecs\/chat\/index)\.ts$/;

export default defineConfig({
  input: { main: 'src/cli/main.ts', index: 'src/index.ts' },
  platform: 'node',
  external: ['@vscode/ripgrep', 'react-devtools-core'],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    cleanDir: true,
    codeSplitting: {
      groups: [
        { name: 'start', test: /src\/cli\/(program|exit-codes|io|usage-error)\.ts$/, priority: 2 },
        { name: 'run', test: RUN, priority: 1 },
      ],
    },
  },
});

import { defineConfig } from 'rolldown';

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
  },
});

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{functions,shared,shim,cli,local,test,scripts,bench}/**/*.test.ts'],
    testTimeout: 30_000,
  },
})

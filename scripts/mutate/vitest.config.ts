import { defineConfig } from 'vitest/config'
import { PARTS } from '../../vitest.config.ts'
import { QuickestFirst } from './quickestFirst.ts'

/** Tests of parts, all files of a run in one process: to start one for each takes longer than most tests. Each strike says which of them run. */
export default defineConfig({
  // What hangs is a mistake noticed, and many mistakes hang.
  test: {
    ...PARTS,
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    testTimeout: 40_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 5_000 } },
  },
})

import { defineConfig } from 'vitest/config'
import { PARTS } from '../../vitest.config.ts'
import { QuickestFirst } from './quickestFirst.ts'

/** Runs tests of parts, all files of a run in one process: a process for each file takes longer than most tests. The caller chooses the tests. */
export default defineConfig({
  // A mutant that hangs is noticed, and many mutants hang.
  test: {
    ...PARTS,
    isolate: false,
    sequence: { sequencer: QuickestFirst },
    testTimeout: 40_000,
    hookTimeout: 40_000,
    expect: { poll: { timeout: 5_000 } },
  },
})

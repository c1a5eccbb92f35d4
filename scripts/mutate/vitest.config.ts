import { defineConfig } from 'vitest/config'
import { PARTS } from '../../vitest.config.ts'

/** Tests of parts, all files of a run in one process: to start one for each takes longer than most tests. Each strike says which of them run. */
export default defineConfig({ test: { ...PARTS, isolate: false, testTimeout: 120_000, hookTimeout: 120_000 } })

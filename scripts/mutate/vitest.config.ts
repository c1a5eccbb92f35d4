import { defineConfig } from 'vitest/config'
import { PARTS } from '../../vitest.config.ts'

/** Tests of parts, in one process. Which of them run is said with each strike. */
export default defineConfig({ test: { ...PARTS, testTimeout: 120_000, hookTimeout: 120_000 } })

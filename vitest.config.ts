import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig } from 'vitest/config'
import { LongestFirst } from './scripts/longestFirst.ts'
import { createTestReporter } from './scripts/testReport.ts'

// Coverage may only rise. The aim is 95 % of branches in engine and model and 80 % elsewhere; the numbers below are what was true when they were last
// raised, and what the tests of parts reach. To raise them: `npm run coverage -- --coverage.thresholds.autoUpdate`, then commit this file. Lower one only
// in a commit that says why.
const thresholds = {
  'shared/engine/**/*.ts': { branches: 89 },
  'shared/model/**/*.ts': { branches: 95 },
  '{functions,shim,cli,local}/**/*.ts': { branches: 55 },
  'shared/{base,wire,ports,flows,adapters}/**/*.ts': { branches: 69 },
}

const WORKERS = Math.max(2, availableParallelism() - 1)
/** Stacks and control planes beside each other: each waits more than it works. */
const STACKS = 6
/** A CI machine may stand still for longer than any patience. What needed a second try is named in the report. */
const RETRY = process.env['CI'] === undefined ? 0 : 1
/** Where CI wants to read what ran. */
const REPORT = process.env['TEST_REPORT']
const EXCLUDED = [...configDefaults.exclude, '**/node_modules/**']
const END_TO_END = 'test/e2e/**/*.test.ts'
const CHAOS = 'test/chaos/{embedded*,real}.test.ts'
/** They play hundreds of random clusters for minutes: beside the stacks that wait, and without the cost of coverage. */
const PROPERTIES = [
  'shared/engine/loadedCluster.test.ts',
  'shared/engine/scheduling/{planningState,model/pods/alternatives}.test.ts',
  'test/crash/**/*.test.ts',
  'test/properties/{adversarial,corpus,differential,existingRoom,fewestMachines,minValues,owners,plans,volumes}.test.ts',
]
/**
 * What builds, checks and measures the product, and tests of more than one of its parts. Coverage makes tests half as fast: it is measured with
 * the tests beside the code, and with those that play clusters through the engine.
 */
const ACROSS = ['{scripts,infra,bench}/**/*.test.ts', 'test/!(scenarios|properties)/**/*.test.ts']
const SEED = ['scripts/propertySeed.ts']
const AFTERWARDS = 'test/rights/**/*.test.ts'
const CONTROL_PLANE = [
  'local/controlplane/startControlPlane.test.ts',
  'test/{agreement,charts,watch}/**/*.test.ts',
  'test/schema/{apiServer,served}.test.ts',
]

/**
 * Tests of one part of the program each, without processes or with few. No test replaces a module, so test files of this project and of the properties share the modules
 * of a worker (`isolate: false`). Loading the modules anew for each file took two fifths of the processor time of shared/engine.
 */
export const PARTS = {
  include: ['{functions,shared,shim,cli,local,test,scripts,bench,infra}/**/*.test.ts'],
  exclude: [...EXCLUDED, END_TO_END, CHAOS, AFTERWARDS, ...CONTROL_PLANE],
  setupFiles: SEED,
}

export default defineConfig({
  test: {
    // A limit for what hangs, not a measure of speed: machines that run tests are shared.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    reporters: REPORT === undefined ? ['default'] : ['default', createTestReporter(REPORT)],
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          ...PARTS,
          exclude: [...PARTS.exclude, ...PROPERTIES, ...ACROSS],
          // By itself a machine of two cores would have one worker.
          maxWorkers: WORKERS,
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'across',
          include: ACROSS,
          exclude: [...PARTS.exclude, ...PROPERTIES],
          setupFiles: SEED,
          maxWorkers: STACKS,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'properties',
          include: PROPERTIES,
          setupFiles: SEED,
          exclude: EXCLUDED,
          maxWorkers: STACKS,
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
      // Each with a control plane of its own, among the stacks: alone, two of them would keep everything waiting for minutes.
      {
        extends: true,
        test: { name: 'control plane', include: CONTROL_PLANE, exclude: EXCLUDED, maxWorkers: STACKS, sequence: { groupOrder: 1 } },
      },
      // Real processes, which mostly wait: after everything else, more stacks beside each other than there are cores.
      {
        extends: true,
        test: {
          name: 'end to end',
          include: [END_TO_END],
          exclude: EXCLUDED,
          retry: RETRY,
          globalSetup: 'test/e2e/buildOnce.ts',
          maxWorkers: STACKS,
          sequence: { groupOrder: 1 },
        },
      },
      // As many seeds as CHAOS_SEEDS says, or the one of CHAOS_SEED; none otherwise. No second try: what fails once is a bug.
      {
        extends: true,
        test: {
          name: 'chaos',
          include: [CHAOS],
          exclude: EXCLUDED,
          globalSetup: 'test/e2e/buildOnce.ts',
          maxWorkers: STACKS,
          sequence: { groupOrder: 1 },
        },
      },
      // On what the end-to-end tests left.
      { extends: true, test: { name: 'rights', include: [AFTERWARDS], exclude: EXCLUDED, sequence: { groupOrder: 2 } } },
    ],
    coverage: {
      provider: 'v8',
      include: ['{functions,shared,shim,cli,local}/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.test-d.ts', '**/testing/**'],
      reporter: ['text-summary', 'json-summary'],
      reportOnFailure: true,
      thresholds,
    },
  },
})

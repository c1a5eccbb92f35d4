import { availableParallelism } from 'node:os'
import { configDefaults, defineConfig, type Plugin } from 'vitest/config'
import { LongestFirst } from './scripts/longestFirst.ts'
import { createTestReporter } from './scripts/testReport.ts'

// Coverage may only rise. The aim is 95 % of branches in engine and model and 80 % elsewhere; the numbers below are what was true when they were last
// raised, and what the tests of parts reach. To raise them: `npm run coverage -- --coverage.thresholds.autoUpdate`, then commit this file. Lower one only
// in a commit that says why.
const thresholds = {
  'shared/engine/**/*.ts': { branches: 90 },
  'shared/model/**/*.ts': { branches: 95 },
  '{functions,shim,cli,local}/**/*.ts': { branches: 70 },
  'shared/{base,wire,ports,flows,adapters}/**/*.ts': { branches: 80 },
}

/** Tests of parts wait now and then, for processes and timers: on two cores, three files beside each other leave none idle. */
const WORKERS = Math.max(3, availableParallelism() - 1)
/** Stacks and control planes beside each other: each waits more than it works. */
const STACKS = 6
/** A CI machine may stand still for longer than any patience. What needed a second try is named in the report. */
const RETRY = process.env['CI'] === undefined ? 0 : 1
/** Where CI wants to read what ran. */
const REPORT = process.env['TEST_REPORT']
const EXCLUDED = [...configDefaults.exclude, '**/node_modules/**']
const STORY = 'test/story/**/*.test.ts'
const END_TO_END = 'test/e2e/**/*.test.ts'
const CHAOS = 'test/chaos/{embedded*,real}.test.ts'
const CRASH = 'test/crash/**/*.test.ts'
/** They play hundreds of random clusters: without the cost of coverage, which makes them half as fast and tells nothing of a single part. */
const PROPERTIES = [
  'shared/engine/loadedCluster.test.ts',
  'shared/engine/scheduling/{planningState,model/pods/alternatives}.test.ts',
  'test/properties/**/*.test.ts',
]
/** What builds, checks and measures the product, and tests of more than one of its parts. */
const ACROSS = ['{scripts,infra,bench}/**/*.test.ts', 'test/!(scenarios|properties|story|crash)/**/*.test.ts']
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
  exclude: [...EXCLUDED, END_TO_END, CHAOS, AFTERWARDS, STORY, ...CONTROL_PLANE],
  setupFiles: SEED,
}

/** `npm test -- --coverage` counts what the tests of parts reach. This plugin spares other projects the cost. */
const WITHOUT_COVERAGE: Plugin = {
  name: 'without coverage',
  configureVitest: ({ project }) => {
    project.config.coverage = { ...project.config.coverage, enabled: false }
  },
}

/** The projects of `npm test`. They run beside each other. */
const QUICK = { maxWorkers: WORKERS, isolate: false }
/** The projects that `npm run test:all` adds run beside each other, after the quick ones. */
const SLOW = { maxWorkers: STACKS, sequence: { groupOrder: 1 } }

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
        test: { name: 'parts', ...PARTS, exclude: [...PARTS.exclude, ...PROPERTIES, ...ACROSS, CRASH], ...QUICK },
      },
      {
        extends: true,
        plugins: [WITHOUT_COVERAGE],
        test: { name: 'properties', include: PROPERTIES, exclude: EXCLUDED, setupFiles: SEED, ...QUICK },
      },
      { extends: true, plugins: [WITHOUT_COVERAGE], test: { name: 'story', include: [STORY], exclude: EXCLUDED, ...QUICK } },
      { extends: true, test: { name: 'across', include: ACROSS, exclude: PARTS.exclude, setupFiles: SEED, isolate: false, ...SLOW } },
      { extends: true, test: { name: 'crash', include: [CRASH], exclude: EXCLUDED, setupFiles: SEED, isolate: false, ...SLOW } },
      // Each with a control plane of its own, among the stacks: alone, two of them would keep everything waiting for minutes.
      { extends: true, test: { name: 'control plane', include: CONTROL_PLANE, exclude: EXCLUDED, ...SLOW } },
      // Real processes, which mostly wait: more stacks beside each other than there are cores.
      {
        extends: true,
        test: { name: 'end to end', include: [END_TO_END], exclude: EXCLUDED, retry: RETRY, globalSetup: 'test/e2e/buildOnce.ts', ...SLOW },
      },
      // As many seeds as CHAOS_SEEDS says, or the one of CHAOS_SEED; none otherwise. No second try: what fails once is a bug.
      { extends: true, test: { name: 'chaos', include: [CHAOS], exclude: EXCLUDED, globalSetup: 'test/e2e/buildOnce.ts', ...SLOW } },
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

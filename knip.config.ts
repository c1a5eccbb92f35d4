import type { KnipConfig } from 'knip'
import { knipEntries } from './scripts/entries.ts'
import { loadFloors } from './scripts/floors.ts'

// Entries come from floors.json. An export used only inside its own file is dead as an export.
const config: KnipConfig = {
  entry: [
    ...knipEntries(loadFloors()),
    'scripts/*.ts',
    'infra/*/main.ts',
    // The program that azd runs in place of Bicep.
    'infra/check/arm/main.ts',
    'infra/hooks/{preprovision,postroles,predeploy,postdeploy,predown,postdown}.ts',
    'scripts/{mutate,release,workflows}/main.ts',
    'bench/**/*.ts',
    '**/*.test.ts',
    '**/*.test-d.ts',
    'test/{builders,checker,conformance}/*.ts',
    'test/properties/renewCorpus.ts',
    '{test,local}/**/*Child.ts',
    '**/testing/*App.ts',
    // Loaded by the programs of a rehearsal: node --import.
    'local/internet/reroute.ts',
    'dependency-cruiser.config.mjs',
  ],
  project: ['{functions,shared,shim,cli,local,test,bench,scripts,infra}/**/*.ts'],
  // Started by name from scripts/check.ts, or by npm: no import shows them.
  ignoreBinaries: ['go', 'kubectl', 'ldd', 'sha256sum'],
  ignoreDependencies: ['node', 'oxlint', 'oxlint-tsgolint', 'azurite', 'tree-sitter-bicep', 'tsx', '@stryker-mutator/vitest-runner'],
  vitest: { config: ['vitest.config.ts', 'scripts/mutate/vitest.config.ts'] },
  ignoreExportsUsedInFile: { interface: true, type: true },
}

export default config

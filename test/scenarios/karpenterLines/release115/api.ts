import type { ReleaseLine } from './releaseLine.ts'

export const API: readonly ReleaseLine[] = [
  {
    line: 'AP-01',
    state: 'done',
    what: 'the budget reason Unhealthy is accepted, alone and with others; unknown ones are refused',
    shown: {
      'test/schema/karpenterLines.test.ts': ['AP-01 the reason Unhealthy of budgets'],
      'test/schema/cases/nodePoolCases.ts': ['the reason Unhealthy'],
    },
  },
  {
    line: 'AP-02',
    state: 'done',
    what: 'a pool without consolidateAfter is stored with 0s',
    shown: { 'test/schema/served.test.ts': ['AP-02 stores 0s'] },
  },
  {
    line: 'AP-03',
    state: 'done',
    what: 'a pool with replicas may leave consolidateAfter out',
    shown: { 'test/schema/karpenterLines.test.ts': ['AP-03 a pool of machines by number'] },
  },
  {
    line: 'AP-04',
    state: 'done',
    what: 'requirements of pools, claims and overlays have exactly eight operators',
    shown: { 'test/schema/karpenterLines.test.ts': ['AP-04 takes exactly eight operators'] },
  },
  {
    line: 'AP-05',
    state: 'done',
    what: 'a pool with an unknown budget reason stays usable, and the budget allows nothing',
    shown: {
      'test/schema/unknownValues.test.ts': ['each list of values in a definition, ours or published, has a row'],
      'shared/engine/disruption/budgets/allowance.test.ts': ['AP-05 nothing for any reason'],
    },
  },
  {
    line: 'GT-01',
    state: 'differs',
    what: 'feature gates have defaults, and each is set by its name',
    why: 'there are no gates: what Karpenter has behind one is always on, has a setting of its own, or is not there; docs/migrate.md has each by its name',
    shown: { 'test/docs/karpenterOptions.test.ts': ['stands on one of the pages'] },
  },
  {
    line: 'GT-02',
    state: 'differs',
    what: 'the repair of 1.14 is chosen by a flag or by the environment',
    why: 'value legacy of the setting NODE_REPAIR; an app has no flags',
    shown: {
      'shared/engine/repair/legacyRepair.test.ts': ['HR-10, HR-11, HR-16: no budget, annotation or pod holds'],
    },
  },
  {
    line: 'GT-03',
    state: 'done',
    what: 'a scheduler configuration: which ones are accepted, and which are refused',
    shown: { 'functions/config.test.ts': ['GT-03 refuses a scheduler configuration with', 'GT-03 takes one key with both kinds'] },
  },
  {
    line: 'GT-04',
    state: 'done',
    what: 'the scheduler configuration is a YAML document, or the same as JSON',
    shown: { 'functions/config.test.ts': ['GT-04 reads Karpenter’s scheduler configuration'] },
  },
]

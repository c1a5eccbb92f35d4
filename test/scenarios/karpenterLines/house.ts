import type { KarpenterGroup } from './karpenterGroup.ts'

export const HOUSE: readonly KarpenterGroup[] = [
  {
    about: 'evictions',
    kinds: { EV: 14 },
    rows: [],
  },
  {
    about: 'Events, settings and metrics',
    kinds: { EVT: 6, OPT: 8, SCL: 2, MET: 3 },
    rows: [
      {
        lines: 'EVT-03',
        what: 'an Event may name the time within which it is not said again',
        why: 'one time holds for all, five minutes, so that whoever publishes an Event finds it by its name alone',
        shown: { 'shared/adapters/kube/eventCalls.test.ts': ['EVT-02 said on each pass', 'SV-18: is the same one for the next process'] },
      },
      {
        lines: 'EVT-06',
        what: 'Events of one kind are told at a rate that levels bursts out',
        why: 'no process knows what the others tell: ten of a decision are told, and written one after another, with pauses while the API server is busy',
        shown: {
          'shared/flows/apply/nominationEvents.test.ts': ['EVT-05 and that waits with many others'],
          'shared/flows/reports/eventRecorder.test.ts': [
            'keep nobody waiting, and are written one after another',
            'leave the API server pauses',
          ],
        },
      },
      {
        lines: 'OPT-01',
        what: 'feature gates',
        why: 'there are none: what Karpenter has behind a gate is always on here, or not there; docs/migrate.md has the list',
      },
      {
        lines: 'OPT-03 OPT-05',
        what: 'flags of the command line come before the environment, and both are merged',
        why: 'a function app has no command line: app settings are all there is, and one that nobody knows fails a test',
        shown: { 'functions/config.test.ts': ['lists every setting of the schema and no other'] },
      },
      {
        lines: 'OPT-08',
        what: 'a default spread is refused with unknown fields, selectors, doubles and bad numbers',
        shown: {
          'functions/config.test.ts': ['a default spread that is not JSON', 'a default spread with a selector', 'a default spread twice'],
        },
      },
      {
        lines: 'OPT-07 SCL-01 SCL-02',
        what: 'how many objects are worked on at once follows from the cores of the process, and so do buckets of calls',
        why: 'the platform adds processes for more messages; each works on a bounded number of calls at once, whatever it runs on',
        shown: { 'test/architecture/boundedCalls.test.ts': ['have a bound'] },
      },
      {
        lines: 'MET-01 MET-03',
        what: 'a series for each node and each pod',
        why: 'the shim serves what it sees of them, without lifetimes and durations; docs/monitoring.md lists what is served and what is not',
        shown: { 'shim/karpenter/metricsText.test.ts': ['have cores and bytes as units', 'place a pod by its node'] },
      },
    ],
  },
  {
    about: 'what an API server takes',
    kinds: { AV: 8 },
    rows: [],
  },
]

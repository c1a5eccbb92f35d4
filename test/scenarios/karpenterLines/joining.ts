import type { KarpenterGroup } from './karpenterGroup.ts'

export const JOINING: readonly KarpenterGroup[] = [
  {
    about: 'finalizer and generation of a claim',
    kinds: { LC: 4 },
    rows: [],
  },
  {
    about: 'the launch of a claim',
    kinds: { LA: 8 },
    rows: [
      {
        lines: 'LA-07',
        what: 'an error that nobody understands is said as LaunchFailed, cut at 300 characters',
        why: 'the reason is the word of the Azure provider, such as CreateInstanceFailed, or the code of the error, so that each cause has a name; its message is cut at 300 as well',
        shown: {
          'shared/engine/lifecycle/launch.test.ts': ['is cut to what fits', 'is said on the claim and in an event'],
          'shared/flows/lifecycle/launchClaim.test.ts': ['tries other sizes after an error that nobody understands'],
        },
      },
    ],
  },
  {
    about: 'the registration of a node',
    kinds: { RG: 18 },
    rows: [
      {
        lines: 'RG-16',
        what: 'one success makes a pool healthy that was not, where nothing else is remembered',
        why: 'the condition itself remembers that two failures made it False, so that a new process does not call a pool healthy too soon',
        shown: { 'shared/engine/status/registrationHealth.test.ts': ['one success does not make it healthy again', 'three do'] },
      },
    ],
  },
  {
    about: 'hooks that hold a registration back',
    kinds: { RH: 10 },
    rows: [
      {
        lines: 'RH-01 RH-02 RH-03 RH-04 RH-05 RH-06 RH-07',
        what: 'hooks that pass, wait or fail, one or several of them, and later pass',
        why: 'there are none: a hook is code that a provider compiles in, and nothing holds a registration back here but a second node of the machine',
        shown: {
          'shared/engine/lifecycle/registration.test.ts': ['RG-01 RG-05 is taken in', 'does not choose between two'],
          'shared/flows/lifecycle/twoNodes.test.ts': ['is not registered, says so until one of them is gone'],
        },
      },
      {
        lines: 'RH-08 RH-09',
        what: 'without hooks a node is registered',
        shown: { 'shared/engine/lifecycle/registration.test.ts': ['RG-01 RG-05 is taken in'] },
      },
      {
        lines: 'RH-10',
        what: 'a label that a hook gives the claim reaches the node',
        why: 'there are no hooks; labels that the machine decides are written to the claim at its launch, and reach the node from there',
        shown: {
          'shared/flows/lifecycle/launchAttempts.test.ts': ['LA-01 LA-03 is asked for once'],
          'shared/engine/lifecycle/registration.test.ts': ['RG-07 RG-08 keeps its labels'],
        },
      },
    ],
  },
  {
    about: 'the initialization of a node',
    kinds: { IN: 12 },
    rows: [],
  },
  {
    about: 'drivers of dynamic resource allocation',
    kinds: { DR: 6 },
    rows: [
      {
        lines: 'DR-01 DR-02 DR-03 DR-04',
        what: 'a node waits until each driver that its claim asks for has published a whole pool of devices',
        why: 'pods with resource claims are refused, as with Karpenter’s default setting, so that no claim asks for a driver; docs/compare.md says so',
        shown: {
          'test/scenarios/instanceTypes.ts': ['A1 a pod that claims a device', 'A2 a daemon that claims a device'],
          'shared/engine/lifecycle/initialization.test.ts': ['DR-06 is ready, whatever drivers its claim names'],
        },
      },
    ],
  },
  {
    about: 'claims that take too long',
    kinds: { LV: 11 },
    rows: [
      {
        lines: 'LV-03',
        what: 'a claim whose node registered is kept past the time-outs',
        why: 'a node that is not ready for as long after it registered is given up as well: it runs no pod, and its pods would wait for it for ever',
        shown: {
          'shared/engine/lifecycle/stepNodeClaim.test.ts': [
            'a ready node that waits for its startup taint is left alone, however long it takes',
            'a node that is not ready fifteen minutes after it joined is given up',
          ],
        },
      },
    ],
  },
]

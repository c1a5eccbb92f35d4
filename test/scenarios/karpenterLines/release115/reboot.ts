import type { ReleaseLine } from './releaseLine.ts'

export const REBOOT: readonly ReleaseLine[] = [
  {
    line: 'RB-01',
    state: 'done',
    what: 'the third attempt within 24 hours is a replacement',
    shown: {
      'shared/engine/repair/reboots.test.ts': ['RB-01 replaces the node at the third time within a day'],
      'shared/engine/lifecycle/reboot.test.ts': ['allows two within 24 hours, and the window slides'],
      'test/crash/reboots.test.ts': ['EE-10 is one of two within a day, whichever process counts them'],
    },
  },
  {
    line: 'RB-02',
    state: 'done',
    what: 'a reboot sets condition, reason and bound; nothing is launched or deleted',
    shown: {
      'shared/flows/apply/commitReboot.test.ts': ['RB-02 a commit sets condition, reason and bound', 'a commit without a bound takes away'],
    },
  },
  {
    line: 'RB-03',
    state: 'done',
    what: 'the reboot is issued after the drain, within its bound',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': [
        'fences the node, and waits at least five seconds',
        'evicts pods until its bound is over',
        'waits for pods without end if it has no bound',
        'does not drain a node whose bound is 0',
      ],
    },
  },
  {
    line: 'RB-04',
    state: 'done',
    what: 'errors of the provider: final ones at once, others for five minutes',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': ['has failed if Azure has not taken it within five minutes, by the time on the claim'],
      'test/crash/reboots.test.ts': [
        'leaves a node that Azure does not restart to the next repair',
        'is tried for five minutes while Azure is out',
      ],
      'test/azure/cloudProvider.test.ts': ['is refused for good by', 'may succeed later after'],
    },
  },
  {
    line: 'RB-05',
    state: 'done',
    what: 'a changed boot id means that the reboot has happened: no second call',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': [
        'is not asked for again once the node has another boot id',
        'asks for a second reboot of a claim',
        'is asked for again after two minutes if the answer was lost, and not before two more',
      ],
      'test/crash/reboots.test.ts': ['restarts a machine once whose restart was taken and its answer lost'],
    },
  },
  {
    line: 'RB-06',
    state: 'done',
    what: 'a malformed or negative bound: the node is kept',
    shown: { 'shared/engine/lifecycle/reboot.test.ts': ['fails before its drain if its bound is'] },
  },
  {
    line: 'RB-07',
    state: 'done',
    what: 'the fence goes with the new boot id, and the end waits for Ready, for 20 minutes',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': [
        'takes the label of the node, and its fence once it has a new boot id',
        'is over once the node has a new boot id and is ready',
        'is not over while the node is ready by its old boot',
        'has failed twenty minutes after Azure took it',
      ],
    },
  },
  {
    line: 'RB-08',
    state: 'done',
    what: 'the node object is gone: looked for, then a failure',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': [
        'waits five minutes for a node without an object',
        'waits for a node whose object is gone until then',
      ],
    },
  },
  {
    line: 'RB-09',
    state: 'differs',
    what: 'a failed reboot deletes the claim with the bound as its deadline',
    why: 'a failed reboot deletes nothing: the next repair replaces the node, with another machine first and within budgets; a node that is not ready and that no repair takes ends by the time-out of registration',
    shown: {
      'shared/engine/repair/reboots.test.ts': ['replaces a node whose reboot failed, with its replacement first'],
      'test/crash/reboots.test.ts': ['has the node replaced, with its replacement first, if a reboot fails'],
    },
  },
  {
    line: 'RB-10',
    state: 'done',
    what: 'a deletion during a reboot wins',
    shown: {
      'shared/engine/lifecycle/reboot.test.ts': ['ends with the claim, and a machine that is gone ends the claim'],
      'test/crash/reboots.test.ts': ['ends with its claim'],
    },
  },
  {
    line: 'RB-11',
    state: 'done',
    what: 'a reboot that began ends, also if repair was switched off',
    shown: { 'test/crash/reboots.test.ts': ['RB-11 ends though repair is off by then'] },
  },
  {
    line: 'RB-12',
    state: 'done',
    what: 'other methods, the sweep and initialization leave a rebooting node alone',
    shown: {
      'shared/engine/repair/reboots.test.ts': ['is left alone by all other methods and by the sweep', 'is room for the pods that left it'],
      'shared/engine/lifecycle/reboot.test.ts': ['is over once the node has a new boot id and is ready'],
    },
  },
  {
    line: 'RB-13',
    state: 'done',
    what: 'a fence or a condition that Karpenter left is cleaned up',
    shown: {
      'shared/engine/repair/reboots.test.ts': ['RB-13 loses a fence once no reboot is under way'],
      'shared/engine/lifecycle/reboot.test.ts': ['goes on where Karpenter began it'],
      'test/crash/reboots.test.ts': ['is a fence, which goes if no reboot is under way'],
    },
  },
]

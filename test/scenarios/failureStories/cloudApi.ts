import type { FailureStory } from './failureStory.ts'

const LEFTOVERS = 'test/crash/failures/leftovers.test.ts'
const EVERY_WRITE = 'test/crash/everyWriteOfPods.test.ts'
const THROUGH = 'F13 F14: the story is through in time, with nothing left over and nothing done twice'

/** Calls to Azure that fail, and machines that Azure takes. */
export const CLOUD_API: readonly FailureStory[] = [
  {
    story: 'F12',
    what: 'a machine that was reported as failed appears minutes later, and its node stays behind',
    holds: 'the machine is taken over, or goes with interface and node, and nothing is left after five minutes',
    but: 'in these simulations a disk is no object of its own; the adapter ends it with its machine',
    shown: {
      'test/crash/lateSuccess.test.ts': ['F12: a launch that was called failed succeeds late', 'no claim gets two'],
      'test/azure/cloudProvider.test.ts': ['ends machine, disk and interface'],
    },
  },
  {
    story: 'F13',
    what: '78 network interfaces are left after failed requests for machines',
    holds: 'nothing is left after one sweep, and a sweep never touches objects of others',
    shown: {
      [LEFTOVERS]: ['F13: network interfaces of machines', 'are gone after one sweep'],
      [EVERY_WRITE]: [THROUGH],
      'test/azure/cloudProvider.test.ts': [
        'leaves no more than the interface when Azure refuses',
        'are those of this cluster without a machine',
      ],
      'shared/flows/sweep/collectGarbage.test.ts': ['is never the machine or the interface of a claim that exists'],
      'shared/flows/sweep/anotherProvider.test.ts': ['what belongs to another provider'],
    },
  },
  {
    story: 'F14',
    what: 'the process dies between making a machine and writing its id, and the machine stays for ever',
    holds: 'killed at every write, the same name is used again or swept, and no claim ever has two machines',
    shown: {
      [EVERY_WRITE]: [THROUGH, 'pods come and go', 'a nodeclaim without a nodepool is made and deleted'],
      'test/conformance/cloudProvider.ts': ['finds the machine it made before', 'makes one machine of two requests at once'],
      'test/crash/storms.test.ts': ['a machine whose claim does not hear of it', 'is taken over by the next launch'],
    },
  },
  {
    story: 'F15',
    what: 'a tenth of a thousand machines is left after a scale-down',
    holds: 'with throttled calls and lost answers, no machine is left after the sweep',
    shown: { [LEFTOVERS]: ['F15: a thousand machines that go', 'leave nothing behind'] },
  },
  {
    story: 'F18',
    what: 'a new size cannot boot the image',
    holds: 'the size counts as four times as dear in the region after two failures, and others are used',
    shown: {
      'test/crash/failures/demotedSizes.test.ts': [
        'F18: a size of which two machines do not boot',
        'comes after one that costs half as much again in every cluster of the region',
        'in which no machine boots, changes nothing in another cluster of the region',
        'is known and counts once, whatever fails',
      ],
      'shared/engine/offering/sizeReports.test.ts': ['F18: machines of one size that do not boot'],
    },
  },
  {
    story: 'F19',
    what: 'many spot nodes get a short notice at once, and pods lose their grace period',
    holds: 'all are handled in parallel, pods keep their grace period within the real deadline, and replacements start at once',
    shown: {
      'test/crash/failures/spotNotices.test.ts': [
        'F19: 30 of 50 spot nodes get their notice',
        'each is closed and its pods are asked to leave within a second',
        'pods that a budget holds are deleted with their own grace period',
      ],
      'shared/engine/lifecycle/drain.test.ts': ['is when the first pod would outlast it, and no sooner'],
    },
  },
  {
    story: 'F20',
    what: 'spot nodes live for four minutes and are bought again',
    holds: 'a size is avoided after two evictions, others are used, and the size is tried again later',
    shown: {
      'test/crash/failures/spotNotices.test.ts': [
        'F20: a region that takes each spot machine',
        'uses another size after two of them, and this one again later',
      ],
      'shared/flows/lifecycle/interrupt.test.ts': ['F20 of a spot machine keeps others from its size in all zones'],
      'shared/engine/lifecycle/liveness.test.ts': ['F20 and in all zones where it was lost in another one before'],
      'test/crash/failures/demotedSizes.test.ts': ['F20: a size of which Azure takes two spot machines soon after their start'],
    },
  },
]

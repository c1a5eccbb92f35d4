import type { AzureSection } from './azureLine.ts'

const PLAN = 'shared/engine/launch/planLaunch.test.ts'
const REFUSAL = 'shared/adapters/azure/errors/launchRefusal.test.ts'
const REFUSALS = 'test/properties/refusals.test.ts'
const FAULTS = 'test/azure/launchFaults.test.ts'
const ATTEMPTS = 'shared/flows/lifecycle/launchAttempts.test.ts'
const LAUNCH = 'shared/engine/lifecycle/launch.test.ts'
const LINKS = 'shared/model/conditionLinks.test.ts'
const STORE = 'test/conformance/offeringStore.ts'
const TYPES = 'shared/adapters/azure/sizes/instanceTypes.test.ts'
const CATALOG = 'test/azure/catalog.test.ts'
const PRICES = 'shared/adapters/azure/prices/priceTable.test.ts'

const NEXT = 'an offering that Azure has is found after at most one try for each that it refuses'

/** Choices, refusals, and what they leave behind: offerings, quota, prices. */
export const LAUNCHES: readonly AzureSection[] = [
  {
    about: 'refusals of a launch',
    kinds: { ER: 33 },
    rows: [
      {
        lines: 'ER-01',
        is: 'done',
        shown: { [REFUSAL]: ["'spot quota of the region'"], [REFUSALS]: ['one pod gets an on-demand machine'] },
      },
      {
        lines: 'ER-02 ER-03',
        is: 'done',
        shown: {
          [REFUSAL]: ["'zone out of room under these constraints'", "'region out of room under these constraints'"],
          [REFUSALS]: [NEXT],
        },
      },
      {
        lines: 'ER-04',
        is: 'done',
        shown: {
          [REFUSAL]: ["'region out of room'"],
          'test/azure/cloudProvider.test.ts': ['tells a machine that failed later by the same table'],
        },
      },
      { lines: 'ER-05', is: 'done', shown: { [PLAN]: ['ER-05: no zone has room, and the machine without a zone was refused before'] } },
      { lines: 'ER-06', is: 'notOurs', why: 'it is about the machines of AKS, which Joiner does not make' },
      {
        lines: 'ER-07 ER-08',
        is: 'differs',
        why: 'the blocks are the same; the interface stays for the next try of the claim, and goes with it',
        shown: {
          [REFUSAL]: ["'family quota'", "'family quota of zero'"],
          'test/azure/cloudProvider.test.ts': ['leaves no more than the interface when Azure refuses'],
        },
      },
      {
        lines: 'ER-09',
        is: 'differs',
        why: 'sizes with at least as many CPUs are blocked for three minutes, so that claims do not ask again and again',
        shown: { [REFUSAL]: ["'quota of the region'"] },
      },
      {
        lines: 'ER-10 ER-11',
        is: 'differs',
        why: 'a refusal in one zone blocks this zone only: a refusal blocks no more than Azure said',
        shown: { [REFUSAL]: ["'size not available'", "'size not available (spot)'"] },
      },
      {
        lines: 'ER-12',
        is: 'done',
        shown: { [REFUSAL]: ["'zone out of room'"], [FAULTS]: ['means the same whether it comes at once or later'] },
      },
      { lines: 'ER-13 ER-14', is: 'done', shown: { [PLAN]: ["'a blocked offering'"] } },
      {
        lines: 'ER-15 ER-19',
        is: 'done',
        shown: { 'shared/flows/lifecycle/launchClaim.test.ts': ['LA-04 of a claim that Azure has no capacity for ends the claim'] },
      },
      { lines: 'ER-16', is: 'done', shown: { [PLAN]: ['ER-16: the cheapest zone is blocked'] } },
      {
        lines: 'ER-17',
        is: 'done',
        shown: { 'test/azure/plannedLines.test.ts': ['ER-17 from some CPUs up has its pods on smaller sizes'] },
      },
      { lines: 'ER-18', is: 'done', shown: { [STORE]: ['blocks every kind of scope, for every process, until its time'] } },
      {
        lines: 'ER-20',
        is: 'differs',
        why: 'the claim waits with the same reason, in place of a failed create',
        shown: { [LAUNCH]: ["'whether its class is ready'"] },
      },
      { lines: 'ER-21', is: 'done', shown: { [LAUNCH]: ['ER-21: the sizes there are'] } },
      {
        lines: 'ER-22 ER-23',
        is: 'done',
        shown: { [LINKS]: ['ER-22, ER-23: %s is %s'], [LAUNCH]: ['is said on the claim and in an event'] },
      },
      { lines: 'ER-24 ER-25', is: 'done', shown: { [REFUSAL]: ["'size not supported for the subscription'"] } },
      {
        lines: 'ER-26',
        is: 'done',
        shown: { [REFUSAL]: ['has a test row for each row of the table', 'blocks what it refused, or asks for another step'] },
      },
      { lines: 'ER-27', is: 'done', shown: { [FAULTS]: ['%s means the same whether it comes at once or later'] } },
      { lines: 'ER-28', is: 'done', shown: { [REFUSAL]: ["'size not available (regional)'", "'region out of room (regional)'"] } },
      { lines: 'ER-29', is: 'done', shown: { 'shared/engine/offering/usableOfferings.test.ts': ['is that of the list that is asked'] } },
      {
        lines: 'ER-30',
        is: 'done',
        shown: {
          'test/properties/quotaBurst.test.ts': ['uses a quota to its last core, and again what a later read of the usage says is free'],
        },
      },
      { lines: 'ER-31', is: 'done', shown: { 'test/azure/plannedLines.test.ts': ['ER-31 leaves the pods to a pool of less weight'] } },
      {
        lines: 'ER-32',
        is: 'done',
        shown: { [ATTEMPTS]: ['leaves the claim unlocked when nothing is left, so that the next run ends it'] },
      },
      {
        lines: 'ER-33',
        is: 'differs',
        why: 'the label has a code of the closed list of errors, not the word of Azure, of which there is no list',
        shown: { [ATTEMPTS]: ['VM-21, ER-33: launches are counted'] },
      },
    ],
  },
  {
    about: 'offerings that are unavailable',
    kinds: { UO: 8 },
    rows: [
      { lines: 'UO-01', is: 'done', shown: { [STORE]: ['blocks every kind of scope, for every process, until its time'] } },
      { lines: 'UO-02', is: 'done', shown: { [PLAN]: ['a family blocked from some CPUs up'] } },
      {
        lines: 'UO-03',
        is: 'differs',
        why: 'a quota of zero blocks the size and larger ones, since a smaller one may have its own quota',
        shown: { [REFUSAL]: ["'family quota of zero'"] },
      },
      {
        lines: 'UO-04',
        is: 'differs',
        why: 'each number of CPUs is a mark of its own with its own end, and the later end counts',
        shown: { [STORE]: ['keeps the later of two ends of one scope'] },
      },
      {
        lines: 'UO-05',
        is: 'differs',
        why: 'marks are told apart by all members of their scope, without a text as key',
        shown: { [STORE]: ['keeps what holds for one cluster beside what holds for all'] },
      },
      {
        lines: 'UO-06',
        is: 'differs',
        why: 'readers go by the etag of the blob, in place of a number',
        shown: { 'shared/adapters/storage/offeringStore.test.ts': ['cost one process one write, however many there are'] },
      },
      {
        lines: 'UO-07',
        is: 'done',
        shown: { [STORE]: ['loses no mark of two processes at once', 'takes a burst: 128 marks of two processes at once'] },
      },
      { lines: 'UO-08', is: 'done', shown: { [PLAN]: ["'all spot blocked'"] } },
    ],
  },
  {
    about: 'the choice of an offering',
    kinds: { AL: 14 },
    rows: [
      { lines: 'AL-01', is: 'done', shown: { [PLAN]: ['what is not available is left out'] } },
      { lines: 'AL-02', is: 'done', shown: { [PLAN]: ['requirements of the claim choose'] } },
      { lines: 'AL-03 AL-12', is: 'done', shown: { [PLAN]: ['the cheapest comes first, whatever its capacity type'] } },
      { lines: 'AL-04 AL-05 AL-06 AL-07', is: 'done', shown: { [PLAN]: ['at one price spot, then zonal'] } },
      { lines: 'AL-08', is: 'done', shown: { [PLAN]: ['spreads machines of one price over the zones'] } },
      { lines: 'AL-09', is: 'done', shown: { [PLAN]: ['a size too small for the requests is left out'] } },
      {
        lines: 'AL-10 AL-11',
        is: 'done',
        shown: {
          [PLAN]: [
            'AL-10: the zone of the claim has the size on demand only',
            'AL-11: spot is sold in another zone than the claim asks for',
          ],
        },
      },
      { lines: 'AL-13', is: 'done', shown: { [TYPES]: ['AL-13 are chosen by the label of the priority'] } },
      { lines: 'AL-14', is: 'done', shown: { [PLAN]: ['AL-14 changes nothing of what it is made from'] } },
    ],
  },
  {
    about: 'quota',
    kinds: { QU: 10 },
    rows: [
      {
        lines: 'QU-01',
        is: 'done',
        shown: { 'shared/adapters/azure/catalog/reportQuota.test.ts': ['of families, of the region, of spot'] },
      },
      { lines: 'QU-02', is: 'done', shown: { [CATALOG]: ['keeps what it has when one part cannot be fetched'] } },
      { lines: 'QU-03 QU-08', is: 'done', shown: { [TYPES]: ['exactly enough', 'not enough of the family'] } },
      { lines: 'QU-04', is: 'done', shown: { [TYPES]: ["'not known': { usages: {}"] } },
      { lines: 'QU-05 QU-09', is: 'done', shown: { [CATALOG]: ['answers the same list until something changed'] } },
      {
        lines: 'QU-06',
        is: 'differs',
        why: 'nothing takes known quotas away: before the first answer all offerings are open, and then as many as Azure says',
        shown: { [TYPES]: ["'not known': { usages: {}", 'exactly enough', 'not enough of the family'] },
      },
      {
        lines: 'QU-07',
        is: 'done',
        shown: { [TYPES]: ['keeps offerings nobody can have now, but leaves them out of its own requirements'] },
      },
      {
        lines: 'QU-10',
        is: 'differs',
        why: 'quotas that cannot be read again are kept, since a refusal of Azure corrects them',
        shown: { [CATALOG]: ['keeps what it has when one part cannot be fetched'] },
      },
    ],
  },
  {
    about: 'prices',
    kinds: { PR: 7 },
    rows: [
      {
        lines: 'PR-01',
        is: 'differs',
        why: 'no list is shipped: the last answer is kept, and before the first one there are no prices, which the catalog says',
        shown: { [CATALOG]: ['keeps what it has when one part cannot be fetched', 'says so when it has nothing and cannot get anything'] },
      },
      { lines: 'PR-02 PR-03', is: 'done', shown: { [CATALOG]: ['has prices on demand and spot, and none where the list has none'] } },
      {
        lines: 'PR-04',
        is: 'differs',
        why: 'no static prices are shipped that could be complete: a size that the list of the region lacks has no price, and comes last',
        shown: { [CATALOG]: ['has prices on demand and spot, and none where the list has none'], [PLAN]: ['an unknown price comes last'] },
      },
      {
        lines: 'PR-05',
        is: 'differs',
        why: 'a cluster in a region of another cloud is refused by name before a price is asked for',
        shown: {
          'shared/engine/preflight/preflight.test.ts': ['takes only regions of the public cloud'],
          'shared/model/cloud.test.ts': ['is refused with what is not known of it'],
        },
      },
      {
        lines: 'PR-06',
        is: 'differs',
        why: 'a size without a price has none, and comes last',
        shown: { [PLAN]: ['an unknown price comes last'] },
      },
      {
        lines: 'PR-07',
        is: 'done',
        shown: { [PRICES]: ['of two lines for one size'], [CATALOG]: ['is read again after a throttled page', 'is all or nothing'] },
      },
    ],
  },
]

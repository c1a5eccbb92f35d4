import type { AzureSection } from './azureLine.ts'

const BODIES = 'test/azure/requestBodies.test.ts'
const PROVIDER = 'test/azure/cloudProvider.test.ts'
const FAULTS = 'test/azure/launchFaults.test.ts'
const BOOT = 'shared/adapters/azure/bootstrap/customData.test.ts'
const DNS = 'test/azure/localDnsBoot.test.ts'
const BODY = 'shared/adapters/azure/machines/machineBody.test.ts'
const FACTS = 'test/azure/clusterFacts.test.ts'
const ENTRY = 'shared/wire/clusterEntry.test.ts'
const FAMILY = 'shared/adapters/azure/images/imageFamily.test.ts'
const VERSIONS = 'shared/adapters/azure/images/imageVersions.test.ts'
const FIELDS = 'test/azure/classFields.test.ts'
const SIZE_NAME = 'shared/adapters/azure/sizes/sizeName.test.ts'

const SERVICE = 'it is about the bootstrapping service or an extension, which Joiner does not use'

/** What is sent for a machine, its boot, its labels and its image. */
export const MACHINES: readonly AzureSection[] = [
  {
    about: 'what is made on Azure',
    kinds: { VM: 28 },
    rows: [
      { lines: 'VM-01 VM-27', is: 'notOurs', why: SERVICE },
      {
        lines: 'VM-02',
        is: 'done',
        shown: {
          [PROVIDER]: ['answers a repeated launch with the machine of the first'],
          [FAULTS]: ['never changes the machine of a launch that came in between'],
        },
      },
      { lines: 'VM-03', is: 'done', shown: { [FIELDS]: ['of %s, %j, has an effect or is said to have none'] } },
      {
        lines: 'VM-04',
        is: 'done',
        shown: {
          [FACTS]: ['have the GUID of the network of a subnet that the entry names'],
          [ENTRY]: ['with an overlay network needs the GUID of the virtual network'],
        },
      },
      {
        lines: 'VM-05',
        is: 'differs',
        why: 'the interface stays for the next try of the claim, and goes with it',
        shown: {
          [PROVIDER]: ['leaves no more than the interface when Azure refuses'],
          'test/crash/everyArmCall.test.ts': ['leaves one machine for its claim, with its tags, and nothing when it ends'],
        },
      },
      { lines: 'VM-06', is: 'done', shown: { [BODIES]: ['carries tags nobody can take from it, in the spelling Azure takes'] } },
      { lines: 'VM-07', is: 'done', shown: { [BODIES]: ['a machine with every setting'] } },
      {
        lines: 'VM-08',
        is: 'done',
        shown: { [BODIES]: ['is in its zone, spot, with an ephemeral disk in the place its size has for it'] },
      },
      { lines: 'VM-09', is: 'done', shown: { [BODIES]: ['has one address, or one a pod where pods live in the subnet of the nodes'] } },
      { lines: 'VM-10', is: 'done', shown: { [BODY]: ['VM-10 has the user of the settings, and the key where sshd looks for it'] } },
      {
        lines: 'VM-11',
        is: 'done',
        shown: { [ENTRY]: ['has interfaces that name the group of AKS only in a network that is not of AKS'] },
      },
      { lines: 'VM-12', is: 'done', shown: { [FACTS]: ['have the pools of the load balancer that a machine joins'] } },
      {
        lines: 'VM-13 VM-14',
        is: 'done',
        shown: {
          [FAULTS]: [
            'asks for an interface that was refused for a stale backend pool once more',
            'does not ask once more if the pools are the same',
          ],
        },
      },
      {
        lines: 'VM-15 VM-16 VM-17',
        is: 'done',
        shown: {
          [BODY]: [
            'VM-15 says what the class says of encryption at host',
            'VM-16 says what the class says of trusted launch',
            'VM-17 has ultra disks only if the claim wants them and nothing else',
          ],
        },
      },
      { lines: 'VM-18', is: 'done', shown: { [PROVIDER]: ['makes interface and machine and does not wait for the machine'] } },
      { lines: 'VM-19', is: 'done', shown: { [FAMILY]: ['for each version of Kubernetes, architecture and generation'] } },
      {
        lines: 'VM-20',
        is: 'notOurs',
        why: 'the second token opens galleries in the tenant of AKS, which AKS gives to its own Karpenter alone; a gallery of the user is in the tenant of the app',
      },
      {
        lines: 'VM-21',
        is: 'done',
        shown: {
          'shared/flows/lifecycle/launchAttempts.test.ts': ['VM-21, ER-33: launches are counted'],
          'shared/flows/reports/claimMetrics.test.ts': ['VM-21, ER-33: a machine that fails after Azure took it'],
        },
      },
      { lines: 'VM-22', is: 'notOurs', why: SERVICE },
      {
        lines: 'VM-23',
        is: 'differs',
        why: 'no gate turns overlays on: a NodeOverlay counts as soon as it is there',
        shown: { 'test/crash/otherClass.test.ts': ['VM-23: what a NodeOverlay adds to machines', 'is on no machine without the overlay'] },
      },
      { lines: 'VM-24', is: 'done', shown: { [PROVIDER]: ['shows the machines of this cluster only, over all pages'] } },
      {
        lines: 'VM-25',
        is: 'differs',
        why: 'without the time of Azure the age of the claim counts, which is in a tag',
        shown: { 'shared/adapters/azure/machines/instanceOf.test.ts': ['the age of a machine'] },
      },
      {
        lines: 'VM-26',
        is: 'done',
        shown: { 'test/azure/plannedLines.test.ts': ['VM-26 give a pod with a GPU a size with one, and other pods the cheapest without'] },
      },
      { lines: 'VM-28', is: 'done', shown: { [BODY]: ['VM-28 encrypts its disk with the set, wherever the disk is'] } },
    ],
  },
  {
    about: 'the boot of a machine',
    kinds: { BS: 19 },
    rows: [
      { lines: 'BS-01 BS-02', is: 'done', shown: { [BOOT]: ['follow the version'] } },
      {
        lines: 'BS-03',
        is: 'done',
        shown: { [BOOT]: ['carry all taints of the claim and the one that keeps pods away until registration'] },
      },
      { lines: 'BS-04', is: 'done', shown: { [BOOT]: ['BS-04 follows the network'] } },
      { lines: 'BS-05 BS-06', is: 'done', shown: { [BOOT]: ['reserve what the instance type takes off its capacity'] } },
      { lines: 'BS-07', is: 'done', shown: { [BOOT]: ['downloads what the version needs', 'says where the node is and what it may be'] } },
      { lines: 'BS-08', is: 'done', shown: { [BOOT]: ['BS-08 downloads the credential provider of Kubernetes'] } },
      {
        lines: 'BS-09',
        is: 'done',
        shown: { [BOOT]: ['take what the class sets'], [FIELDS]: ['of %s, %j, has an effect or is said to have none'] },
      },
      { lines: 'BS-10', is: 'done', shown: { [BOOT]: ['leave out what a kubelet may not give itself'] } },
      { lines: 'BS-11 BS-13 BS-14 BS-15 BS-17 BS-18', is: 'notOurs', why: SERVICE },
      { lines: 'BS-12', is: 'done', shown: { [BOOT]: ['streams artifacts where the class says so, on amd64'] } },
      {
        lines: 'BS-16',
        is: 'done',
        shown: {
          [DNS]: [
            'T-01, BS-16, LB-05 has local DNS or none with %s',
            'is the Corefile of the node, unchanged by a shell, or refused by name',
          ],
          'shared/adapters/azure/bootstrap/corefile.test.ts': [
            'has the line of each value of each field, whatever the others are',
            'BS-16 is the same in any order of zones',
            'BS-16 has %s as %d seconds',
          ],
        },
      },
      { lines: 'BS-19', is: 'done', shown: { 'shared/adapters/azure/sizes/gpuSizes.test.ts': ['BS-19: the driver of a GPU size'] } },
    ],
  },
  {
    about: 'labels of nodes',
    kinds: { LB: 8 },
    rows: [
      {
        lines: 'LB-01 LB-02',
        is: 'done',
        shown: { [BOOT]: ['LB-01, LB-02 have each label of which the claim and the size leave one value'] },
      },
      { lines: 'LB-03 LB-04', is: 'done', shown: { [BOOT]: ['LB-03, LB-04 name the system of %s on Kubernetes'] } },
      { lines: 'LB-05', is: 'done', shown: { [DNS]: ['T-01, BS-16, LB-05 has local DNS or none with %s'] } },
      { lines: 'LB-06', is: 'done', shown: { [BOOT]: ['stand in order and name size, place and pool'] } },
      { lines: 'LB-07', is: 'done', shown: { [BOOT]: ['LB-07 say that artifacts are streamed'] } },
      { lines: 'LB-08', is: 'done', shown: { [SIZE_NAME]: ['has version 1 when it names none'] } },
    ],
  },
  {
    about: 'images',
    kinds: { IM: 12 },
    rows: [
      {
        lines: 'IM-01',
        is: 'differs',
        why: 'a class whose version is not known yet takes that of the cluster',
        shown: { [VERSIONS]: ['is the version of the cluster and the images of its family'] },
      },
      {
        lines: 'IM-02 IM-03 IM-04 IM-05 IM-06',
        is: 'done',
        shown: {
          [FAMILY]: [
            'of %s, %s, for each version of Kubernetes, architecture and generation',
            'are none that AKS has removed or does not support with the version',
          ],
        },
      },
      {
        lines: 'IM-07',
        is: 'done',
        shown: {
          [VERSIONS]: ['is asked for once for all processes', 'is another family of images together with the version that brings it'],
        },
      },
      { lines: 'IM-08', is: 'done', shown: { 'shared/base/text.test.ts': ['IM-08: %s is newer than %s'] } },
      {
        lines: 'IM-09',
        is: 'notOurs',
        why: 'versions come from the galleries themselves: the list of AKS that has more of them is not asked for',
      },
      { lines: 'IM-10', is: 'notOurs', why: 'the version of a node image is a member of machines of AKS' },
      {
        lines: 'IM-11',
        is: 'differs',
        why: 'Ubuntu with FIPS takes Ubuntu 22.04 from Kubernetes 1.35 on, as AKS supports it',
        shown: { [FAMILY]: ['are none that AKS has removed or does not support with the version'] },
      },
      { lines: 'IM-12', is: 'done', shown: { [PROVIDER]: ['says so where an image has no version, and leaves nothing behind'] } },
    ],
  },
]

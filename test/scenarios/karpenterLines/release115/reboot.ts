import type { ReleaseLine } from './releaseLine.ts'

export const REBOOT: readonly ReleaseLine[] = [
  { line: 'RB-01', state: 'missing', what: 'the third attempt within 24 hours is a replacement' },
  { line: 'RB-02', state: 'missing', what: 'a reboot sets condition, reason and bound; nothing is launched or deleted' },
  { line: 'RB-03', state: 'missing', what: 'the reboot is issued after the drain, within its bound' },
  { line: 'RB-04', state: 'missing', what: 'errors of the provider: final ones at once, others for five minutes' },
  { line: 'RB-05', state: 'missing', what: 'a changed boot id means that the reboot has happened: no second call' },
  { line: 'RB-06', state: 'missing', what: 'a malformed or negative bound: the node is kept' },
  { line: 'RB-07', state: 'missing', what: 'the fence goes with the new boot id, and the end waits for Ready, for 20 minutes' },
  { line: 'RB-08', state: 'missing', what: 'the node object is gone: looked for, then a failure' },
  { line: 'RB-09', state: 'missing', what: 'a failed reboot deletes the claim with the bound as its deadline' },
  { line: 'RB-10', state: 'missing', what: 'a deletion during a reboot wins' },
  { line: 'RB-11', state: 'missing', what: 'a reboot that began ends, also if repair was switched off' },
  { line: 'RB-12', state: 'missing', what: 'other methods, the sweep and initialization leave a rebooting node alone' },
  { line: 'RB-13', state: 'missing', what: 'a fence or a condition that Karpenter left is cleaned up' },
]

import type { ReleaseLine } from './releaseLine.ts'

export const API: readonly ReleaseLine[] = [
  { line: 'AP-01', state: 'missing', what: 'the budget reason Unhealthy is accepted, alone and with others; unknown ones are refused' },
  { line: 'AP-02', state: 'missing', what: 'a pool without consolidateAfter is stored with 0s' },
  { line: 'AP-03', state: 'missing', what: 'a pool with replicas may leave consolidateAfter out' },
  { line: 'AP-04', state: 'missing', what: 'requirements of pools, claims and overlays have exactly eight operators' },
  { line: 'AP-05', state: 'missing', what: 'a pool with an unknown budget reason stays usable, and the budget allows nothing' },
  { line: 'GT-01', state: 'missing', what: 'feature gates have defaults, and each is set by its name' },
  { line: 'GT-02', state: 'missing', what: 'the repair of 1.14 is chosen by a flag or by the environment' },
  { line: 'GT-03', state: 'missing', what: 'a scheduler configuration: which ones are accepted, and which are refused' },
  { line: 'GT-04', state: 'missing', what: 'the scheduler configuration is a YAML document, or the same as JSON' },
]

import type { ReleaseLine } from './releaseLine.ts'

export const VOLUMES: readonly ReleaseLine[] = [
  { line: 'VL-01', state: 'missing', what: 'enough nodes for all volumes at once' },
  { line: 'VL-02', state: 'missing', what: 'the limit of the type holds until the CSINode has the driver' },
  { line: 'VL-03', state: 'missing', what: 'pods with several volumes, shared claims, free drivers, no type that fits' },
  { line: 'VL-04', state: 'missing', what: 'several drivers' },
  { line: 'MI-01', state: 'missing', what: 'a volume narrows zones below minValues: not scheduled' },
  { line: 'MI-02', state: 'missing', what: 'BestEffort: relaxed, with the annotation' },
  { line: 'MI-03', state: 'missing', what: 'the same by a spread or an affinity' },
  { line: 'RV-01', state: 'missing', what: 'a full reservation without a fallback: no claim, never on demand' },
  { line: 'RV-02', state: 'missing', what: 'with capacity the reservation is preferred' },
  { line: 'RV-03', state: 'missing', what: 'unavailable though with capacity: left out' },
  { line: 'RV-04', state: 'missing', what: 'full with a fallback: at once' },
  { line: 'RV-05', state: 'missing', what: 'the pool of less weight serves' },
  { line: 'RV-06', state: 'missing', what: 'a slot given back is usable; the pod beyond it fails' },
  { line: 'RV-07', state: 'missing', what: 'price order, savings and capacity types leave full reservations out' },
  { line: 'RV-08', state: 'missing', what: 'the resources of an offering replace those of the type' },
]

import type { Pod } from '../../../model/pod.ts'
import type { VolumeNeeds } from './volumes.ts'

/** A pod that takes part, with what its volumes ask. */
export type Candidate = { readonly pod: Pod; readonly volumes: VolumeNeeds }

import { CAPACITY_BUFFER_CASES } from './capacityBufferCases.ts'
import type { ManifestCase } from './manifestCase.ts'
import { NODE_CLAIM_CASES } from './nodeClaimCases.ts'
import { NODE_CLASS_CASES } from './nodeClassCases.ts'
import { NODE_OVERLAY_CASES } from './nodeOverlayCases.ts'
import { NODE_POOL_CASES } from './nodePoolCases.ts'

/** Every manifest with a recorded verdict. */
export const MANIFEST_CASES: readonly ManifestCase[] = [
  ...NODE_POOL_CASES,
  ...NODE_CLAIM_CASES,
  ...NODE_OVERLAY_CASES,
  ...NODE_CLASS_CASES,
  ...CAPACITY_BUFFER_CASES,
]

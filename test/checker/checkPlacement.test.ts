import { pod } from '../builders/pod.ts'
import { describePlacements } from './testing/placementCases.ts'

describePlacements('pods and their places', {
  'a target that does not exist': { pods: [pod()], targets: { nowhere: ['pod'] }, breaks: 'target' },
  'a pod placed twice': { pods: [pod()], claims: [{ pods: ['pod'] }, { pods: ['pod'] }], breaks: 'once' },
  'a pod with a resource claim': { pods: [pod({ resourceClaims: ['gpu'] })], claims: [{ pods: ['pod'] }], breaks: 'resourceClaim' },
})

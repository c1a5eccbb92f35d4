import { type ClusterId, clusterId } from '../model/ids.ts'
import { type Codec, fail } from './codec.ts'

const CLUSTER_ID = /^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$/

export const clusterIdText: Codec<ClusterId> = {
  read: (value, trail) =>
    typeof value === 'string' && CLUSTER_ID.test(value)
      ? clusterId(value)
      : fail(trail, 'must be 1 to 40 lower case letters, digits and dashes, with a letter or digit at both ends'),
  write: (value) => value,
}

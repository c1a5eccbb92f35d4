/**
 * The kind of resource that an action is needed for. Actions inside the group that the template creates are needed for the subscription, because the
 * group does not exist before.
 */
export type Place =
  | 'subscription'
  | 'nodeGroup'
  | 'cluster'
  | 'subnet'
  | 'identity'
  | 'network'
  | 'dnsZone'
  | 'diskEncryptionSet'
  | 'healthTopic'

export type PlacedAction = { readonly on: Place; readonly action: string }

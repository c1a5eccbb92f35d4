/** What the action is asked of. What is in the group that the template makes is asked of the subscription: the group is not there before. */
export type Place = 'subscription' | 'nodeGroup' | 'cluster' | 'subnet' | 'identity' | 'network' | 'dnsZone' | 'healthTopic'

export type PlacedAction = { readonly on: Place; readonly action: string }

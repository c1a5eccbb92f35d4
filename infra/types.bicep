// Types and names that the templates of both layers share.

@export()
@description('An AKS cluster that Joiner makes machines for. The preprovision hook reads the values from Azure.')
type cluster = {
  @description('What Joiner, the shim and the URL of the cluster call it.')
  @minLength(1)
  @maxLength(40)
  name: string

  @description('Resource id of the managed cluster, in the subscription of this deployment.')
  id: string

  @description('Resource group of the nodes, where machines and network interfaces are made.')
  nodeResourceGroup: string

  @description('Issuer of the tokens of service accounts. The identity of the spot watchers trusts it.')
  oidcIssuer: string

  @description('Resource ids of the subnets that machines may be in.')
  @minLength(1)
  subnetIds: string[]

  @description('Resource ids of the identities that each machine gets: the identity of the kubelet.')
  identityIds: string[]

  @description('Resource id of the disk encryption set of the disks of machines, for a cluster or an entry that names one.')
  diskEncryptionSetId: string?

  @description('Resource id of the private DNS zone of the API server, for a private cluster.')
  privateDnsZoneId: string?

  @description('Fields of the entry in JOINER_CLUSTERS that stand above what Azure says.')
  overrides: object?
}

@export()
@description('Which way the app reaches storage and clusters, and who reaches the app.')
type networkMode = 'public' | 'vnet' | 'private'

@export()
@description('Resources of one installation have these letters in their names.')
func tokenOf(subscriptionId string, environmentName string, location string) string =>
  toLower(uniqueString(subscriptionId, environmentName, location))

@export()
@description('Name of the Event Grid topic to which the nodes of a cluster publish.')
func topicNameOf(token string, clusterId string) string =>
  'evgt-joiner-${token}-${take(uniqueString(toLower(clusterId)), 6)}'

@export()
@description('Id of one of the roles of an installation, by its kind.')
func customRoleOf(subscriptionId string, token string, kind string) string => guid(subscriptionId, token, kind)

@export()
@description('Resource group of a resource, in lower case.')
func groupOf(id string) string => toLower(split(id, '/')[4])

@export()
@description('Resource id of the virtual network of a subnet, in lower case, so that one network has one id.')
func networkIdOf(subnetId string) string => substring(toLower(subnetId), 0, lastIndexOf(toLower(subnetId), '/subnets/'))

// Mistakes planted into the real templates, one kind a line: each is found, by the rule that it belongs to and by no other.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { repositoryRoot } from '../../scripts/floors.ts'
import { checkInfra } from './checkInfra.ts'
import { EVENTS_SETS, MAIN_SETS } from './parameterSets.ts'
import { repositorySources } from './sources.ts'

const sources = repositorySources(repositoryRoot)
const isHere = sources.index !== undefined
const SETS = new Set(['defaults', 'private', 'shim with an identity', 'things that exist', 'cluster with everything'])
const layers = [
  { main: 'infra/main.bicep', sets: MAIN_SETS.filter(({ name }) => SETS.has(name)) },
  { main: 'infra/events.bicep', sets: EVENTS_SETS.slice(0, 2) },
]

type Mistake = readonly [kind: string, rule: string, file: string, old: string, by: string]

const MISTAKES: readonly Mistake[] = [
  // Types of Azure.
  ['an unknown type', 'unknown-type', 'modules/storage.bicep', 'Microsoft.Storage/storageAccounts@', 'Microsoft.Storage/storageAcounts@'],
  [
    'an unknown version',
    'unknown-type',
    'modules/identity.bicep',
    'userAssignedIdentities@2024-11-30',
    'userAssignedIdentities@2024-11-31',
  ],
  ['a type in the wrong case', 'unknown-type', 'modules/network.bicep', 'Microsoft.Network/natGateways', 'Microsoft.Network/natgateways'],
  [
    'an unknown type that is expected',
    'unknown-type',
    'modules/clusterRights.bicep',
    'managedClusters@2026-05-01',
    'managedClusters@2026-05-09',
  ],
  ['a misspelt property', 'unknown-property', 'modules/storage.bicep', 'accessTier:', 'accesTier:'],
  ['a property in the wrong case', 'unknown-property', 'modules/telemetry.bicep', 'IngestionMode:', 'ingestionMode:'],
  [
    'a misspelt property at the top',
    'unknown-property',
    'modules/site.bicep',
    "  kind: 'functionapp,linux'",
    "  kinds: 'functionapp,linux'",
  ],
  [
    'a property that Flex has and the types lack',
    'unknown-property',
    'modules/site.bicep',
    "runtime: { name: 'node'",
    "siteUpdateStrategy: { type: 'Recreate' }\n      runtime: { name: 'node'",
  ],
  [
    'an unknown property of a variant',
    'unknown-property',
    'delivery.bicep',
    'queueMessageTimeToLiveInSeconds: 600',
    'queueMessageTimeToLive: 600',
  ],
  ['a missing property', 'missing-property', 'modules/storage.bicep', "  sku: { name: 'Standard_LRS' }\n", ''],
  [
    'a missing property inside',
    'missing-property',
    'modules/budget.bicep',
    '    timePeriod: { startDate: start }\n',
    '    timePeriod: { endDate: start }\n',
  ],
  [
    'a read-only property',
    'read-only',
    'modules/storage.bicep',
    "    accessTier: 'Hot'",
    "    accessTier: 'Hot'\n    creationTime: '2026-01-01T00:00:00Z'",
  ],
  ['a text for a number', 'wrong-type', 'modules/network.bicep', 'idleTimeoutInMinutes: 4', "idleTimeoutInMinutes: '4'"],
  ['a text for a bool', 'wrong-type', 'modules/site.bicep', 'clientAffinityEnabled: false', "clientAffinityEnabled: 'false'"],
  [
    'an object for an array',
    'wrong-type',
    'modules/network.bicep',
    'publicIpAddresses: [{ id: address.id }]',
    'publicIpAddresses: { id: address.id }',
  ],
  [
    'a text that is read for a bool',
    'wrong-type',
    'modules/site.bicep',
    'clientAffinityEnabled: false',
    'clientAffinityEnabled: storage.properties.primaryEndpoints.blob',
  ],
  ['a literal that is not listed', 'literal', 'modules/storage.bicep', "accessTier: 'Hot'", "accessTier: 'Warm'"],
  ['a literal in the wrong case', 'literal', 'modules/storage.bicep', "accessTier: 'Hot'", "accessTier: 'hot'"],
  [
    'a literal outside an open set',
    'open-literal',
    'modules/storage.bicep',
    "publicNetworkAccess: 'Enabled'",
    "publicNetworkAccess: 'Enable'",
  ],
  ['a wrong discriminator', 'discriminator', 'delivery.bicep', "endpointType: 'StorageQueue'", "endpointType: 'Queue'"],
  [
    'a value out of the bounds of the type',
    'bounds',
    'modules/budget.bicep',
    "contactRoles: ['Owner']\n      }\n      forecast",
    "contactRoles: ['Owner']\n        contactGroups: map(range(0, 80), x => 'g')\n      }\n      forecast",
  ],
  [
    'a resource in the wrong scope',
    'scope-kind',
    'main.bicep',
    "resource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {",
    "resource plan 'Microsoft.Web/serverfarms@2024-11-01' = {\n  name: 'p'\n  location: location\n  tags: allTags\n  properties: { reserved: true }\n}\n\nresource group 'Microsoft.Resources/resourceGroups@2025-04-01' = {",
  ],
  ['a path that no answer has', 'read-path', 'modules/site.bicep', 'site.properties.defaultHostName', 'site.properties.defaultHostname'],
  [
    'a path that no answer of what exists has',
    'read-path',
    'modules/site.bicep',
    'storage.properties.primaryEndpoints.blob',
    'storage.properties.primaryEndpoint.blob',
  ],
  ['a path without properties', 'read-path', 'modules/identity.bicep', 'identity.properties.clientId', 'identity.clientId'],
  [
    'a name that is too long',
    'name',
    'main.bicep',
    "plan: 'plan-joiner-${token}'",
    "plan: 'plan-joiner-${token}-with-a-name-that-is-longer-than-azure-takes'",
  ],
  [
    'a sign that the name may not have',
    'name',
    'modules/storage.bicep',
    "'app-package', 'joiner', 'dead-letters'",
    "'app_package', 'joiner', 'dead-letters'",
  ],
  // Names and parameters.
  [
    'a name that is not declared',
    'undeclared',
    'modules/privateEndpoints.bicep',
    'privateLinkServiceId: target.isSite ? site.id : storage.id',
    'privateLinkServiceId: target.isSite ? site.id : store.id',
  ],
  [
    'a function that there is not',
    'undeclared',
    'types.bicep',
    'toLower(uniqueString(subscriptionId',
    'toLowercase(uniqueString(subscriptionId',
  ],
  ['a type that is not declared', 'undeclared', 'modules/topics.bicep', 'param clusters cluster[]', 'param clusters clusters[]'],
  ['an import that is not exported', 'undeclared', 'delivery.bicep', '@export()\nfunc functionDestination', 'func functionDestination'],
  [
    'a parameter that is not used',
    'no-unused-params',
    'main.bicep',
    'param appSettings object = {}',
    "param appSettings object = {}\n\n@description('More.')\nparam more string = ''",
  ],
  ['a variable that is not used', 'no-unused-vars', 'main.bicep', 'var token = ', 'var more = 1\nvar token = '],
  [
    'an existing resource that is not used',
    'no-unused-existing-resources',
    'modules/clusterRights.bicep',
    'resource assignment',
    "resource other 'Microsoft.ContainerService/managedClusters@2026-05-01' existing = {\n  name: clusterName\n}\n\nresource assignment",
  ],
  [
    'an import that is not used',
    'no-unused-imports',
    'events.bicep',
    'import { cluster, topicNameOf }',
    'import { cluster, networkMode, topicNameOf }',
  ],
  ['an export that nobody imports', 'orphans', 'delivery.bicep', '// Where events go', '@export()\nvar nobody = 1\n// Where events go'],
  [
    'a parameter that the module lacks',
    'module-parameters',
    'main.bicep',
    'amount: budget, start: budgetStart',
    'amount: budget, currency: 1, start: budgetStart',
  ],
  ['a parameter that is not given', 'module-parameters', 'main.bicep', '      oidcIssuer: each.oidcIssuer\n', ''],
  ['a file that is not there', 'module-parameters', 'main.bicep', "'modules/roles.bicep'", "'modules/role.bicep'"],
  [
    'a parameter out of the bounds of the module',
    'parameters',
    'main.bicep',
    'retentionDays: retentionDays',
    'retentionDays: retentionDays - 30',
  ],
  ['an output that the module lacks', 'evaluate', 'main.bicep', 'storage.outputs.packageContainer', 'storage.outputs.packages'],
  [
    'an output of what is not deployed',
    'evaluate',
    'main.bicep',
    "hasOwnNetwork ? virtualNetwork!.outputs.outboundAddress : ''",
    'virtualNetwork!.outputs.outboundAddress',
  ],
  [
    'a module in the wrong scope',
    'evaluate',
    'main.bicep',
    "module roles 'modules/roles.bicep' = if (rbac == 'custom') {\n",
    "module roles 'modules/roles.bicep' = if (rbac == 'custom') {\n  scope: group\n",
  ],
  ['an index past the end', 'evaluate', 'modules/roles.bicep', 'roles[3].name', 'roles[4].name'],
  ['a spread', 'parse', 'modules/site.bicep', 'var given = {\n', 'var given = {\n  ...settings\n'],
  ['a default that does not fit', 'parameters', 'main.bicep', "param rbac string = 'custom'", "param rbac string = 'customs'"],
  [
    'an output of the wrong type',
    'outputs',
    'modules/roles.bicep',
    'output nodeGroupRoleId string = roles[0].name',
    'output nodeGroupRoleId int = roles[0].name',
  ],
  // What must be known at the start.
  [
    'a scope that is read',
    'known-at-start',
    'modules/topics.bicep',
    'scope: resourceGroup(hasOwnHealthTopic ? resourceGroup().name',
    'scope: resourceGroup(hasOwnHealthTopic ? storage.location',
  ],
  [
    'a name of a role assignment that is read',
    'known-at-start',
    'modules/spotIdentity.bicep',
    'guid(topic.id, identity.id, roleId)',
    'guid(topic.id, identity.properties.principalId, roleId)',
  ],
  [
    'a scope from a module',
    'known-at-start',
    'main.bicep',
    'scope: resourceGroup(each.nodeResourceGroup)',
    'scope: resourceGroup(telemetry.outputs.group)',
  ],
  [
    'a name that changes',
    'use-stable-resource-identifiers',
    'main.bicep',
    "group: 'rg-joiner-${environmentName}'",
    "group: 'rg-joiner-${budgetStart}'",
  ],
  // What Azure's linter says.
  [
    'a host of a cloud',
    'no-hardcoded-env-urls',
    'modules/site.bicep',
    'ARM_ENDPOINT: environment().resourceManager',
    "ARM_ENDPOINT: 'https://management.azure.com/'",
  ],
  [
    'a location that is written in',
    'no-hardcoded-location',
    'modules/privateEndpoints.bicep',
    "location: 'global'",
    "location: 'westeurope'",
  ],
  [
    'a location of the group',
    'no-loc-expr-outside-params',
    'modules/site.bicep',
    '  name: planName\n  location: location',
    '  name: planName\n  location: resourceGroup().location',
  ],
  ['an interpolation alone', 'simplify-interpolation', 'modules/site.bicep', 'name: planName', "name: '${planName}'"],
  [
    'a concat of texts',
    'prefer-interpolation',
    'modules/site.bicep',
    "'https://${site.properties.defaultHostName}'",
    "concat('https://', site.properties.defaultHostName)",
  ],
  [
    'a parent in a name',
    'use-parent-property',
    'modules/privateEndpoints.bicep',
    "    parent: endpoints[at]\n    name: 'default'",
    "    name: '${endpoints[at].name}/default'",
  ],
  [
    'a dependency that is there already',
    'no-unnecessary-dependson',
    'modules/network.bicep',
    "  sku: { name: 'Standard' }\n",
    "  sku: { name: 'Standard' }\n  dependsOn: [address]\n",
  ],
  [
    'a secret parameter in the open',
    'secure-secrets-in-params',
    'modules/site.bicep',
    'param planName string\n',
    'param planName string\nparam clientSecret string = planName\nvar kept = clientSecret\noutput kept string = kept\n',
  ],
  [
    'a default of a secure parameter',
    'secure-parameter-default',
    'modules/site.bicep',
    'param packageContainer string\n',
    "@secure()\nparam packageContainer string = 'x'\n",
  ],
  [
    'a secret in an output',
    'outputs-should-not-contain-secrets',
    'modules/site.bicep',
    'output name string = site.name',
    'output name string = site.name\noutput password string = site.name',
  ],
  ['a parameter without a description', 'described-parameters', 'main.bicep', "@description('Added to the tags of all resources.')\n", ''],
  // Rules of this project.
  ['shared keys', 'storage-hardening', 'modules/storage.bicep', 'allowSharedKeyAccess: false', 'allowSharedKeyAccess: true'],
  ['an old protocol', 'storage-hardening', 'modules/storage.bicep', "minimumTlsVersion: 'TLS1_2'", "minimumTlsVersion: 'TLS1_0'"],
  ['an app without TLS', 'site-hardening', 'modules/site.bicep', 'httpsOnly: true', 'httpsOnly: false'],
  ['a topic with keys', 'no-keys', 'modules/topics.bicep', 'disableLocalAuth: true', 'disableLocalAuth: false'],
  [
    'an assignment without the kind of its principal',
    'principal-type',
    'modules/clusterRights.bicep',
    "    principalType: 'ServicePrincipal'\n",
    '',
  ],
  [
    'a setting that Flex refuses',
    'flex-settings',
    'modules/site.bicep',
    'AZURE_CLIENT_ID: identityClientId',
    "AZURE_CLIENT_ID: identityClientId\n  FUNCTIONS_WORKER_RUNTIME: 'node'",
  ],
  [
    'a property of the site that Flex refuses',
    'flex-settings',
    'modules/site.bicep',
    "minTlsVersion: '1.2',",
    "minTlsVersion: '1.2', alwaysOn: true,",
  ],
  [
    'a subscription without dead letters',
    'dead-letter',
    'modules/noticeSubscriptions.bicep',
    '      deadLetterWithResourceIdentity: deadLetterOf(storage.id)\n',
    '      labels: [deadLetterOf(storage.id).deadLetterDestination.endpointType]\n',
  ],
  ['a resource without tags', 'tags', 'modules/identity.bicep', '  tags: tags\n', '  tags: { a: string(tags) }\n'],
  ['a site that azd cannot find', 'tags', 'main.bicep', "'azd-service-name': 'app'", "'azd-service-names': 'app'"],
  ['two resources of one name', 'made-twice', 'modules/storage.bicep', "'reconcile', 'nodeclaim'", "'reconcile', 'reconcile'"],
  ['a role that there is not', 'roles', 'roles.json', '3913510d-42f4-4e42-8a64-420c390055eb', '3913510d-42f4-4e42-8a64-420c390055ec'],
  ['an action that there is not', 'roles', 'roles.json', 'Microsoft.Compute/virtualMachines/read', 'Microsoft.Compute/virtualMachine/read'],
  ['an action with a star', 'roles', 'roles.json', 'Microsoft.Compute/virtualMachines/read', 'Microsoft.Compute/virtualMachines/*'],
  [
    'an id of a role in a template',
    'role-ids',
    'modules/spotIdentity.bicep',
    "loadJsonContent('../roles.json').builtIn.eventGridDataSender",
    "'d5a91429-5739-47e2-a06b-3470a27159e7'",
  ],
  ['a parameter that azd fills and nobody has', 'parameters-file', 'main.parameters.json', '"location":', '"region":'],
  ['a variable that nobody puts out', 'parameters-file', 'events.parameters.json', '${JOINER_APP_NAME}', '${JOINER_APPNAME}'],
  // Rules that the lines above leave out.
  ['a function that is not used', 'no-unused-funcs', 'main.bicep', 'var token = ', 'func more(text string) string => text\nvar token = '],
  ['a type that is not used', 'no-unused-types', 'main.bicep', 'var token = ', 'type more = { text: string }\nvar token = '],
  ['a name that is declared twice', 'undeclared', 'modules/roles.bicep', 'var kinds = ', 'var kinds = 1\nvar kinds = '],
  ['a decorator that there is not', 'undeclared', 'main.bicep', "@description('Region", "@describe('x')\n@description('Region"],
  ['the type of roles misspelt', 'role-definition-type', 'modules/clusterRights.bicep', 'roleDefinitions', 'roleDefinition'],
  [
    'a resource that is read by its id',
    'use-resource-symbol-reference',
    'modules/site.bicep',
    'output id string = site.id',
    'output id string = site.id\noutput more object = reference(site.id)',
  ],
  ['a plan of Windows', 'plan', 'modules/site.bicep', 'reserved: true', 'reserved: false'],
  [
    'a subscription with two destinations',
    'dead-letter',
    'modules/noticeSubscriptions.bicep',
    'toQueue ? null : functionDestination(site.id)',
    'functionDestination(site.id)',
  ],
  [
    'settings inside of the site',
    'flex-settings',
    'modules/site.bicep',
    "minTlsVersion: '1.2',",
    "appSettings: [{ name: 'A', value: 'B' }], minTlsVersion: '1.2',",
  ],
  [
    'too many outputs',
    'max-outputs',
    'modules/roles.bicep',
    'output nodeGroupRoleId',
    `${Array.from({ length: 61 }, (_, at) => `output o${at} int = ${at}\n`).join('')}output nodeGroupRoleId`,
  ],
  [
    'a parameter that azd does not fill',
    'parameters-file',
    'main.parameters.json',
    '    "environmentName": { "value": "${AZURE_ENV_NAME}" },\n',
    '',
  ],
  ['a variable that fills two parameters', 'parameters-file', 'main.parameters.json', '${JOINER_SIZE}', '${JOINER_NETWORK}'],
  ['a variable that nobody sets', 'parameters-file', 'main.parameters.json', '${JOINER_SIZE}', '${SIZE}'],
  ['a role that grants nothing', 'roles', 'modules/roles.bicep', 'actions: actions[kind.key]', 'actions: take(actions[kind.key], 0)'],
  ['a function that only Azure can run', 'undeclared', 'modules/site.bicep', 'output id string = site.id', 'output id string = newGuid()'],
  [
    'a loop over what is read',
    'known-at-start',
    'modules/storage.bicep',
    'for roleId in appRoles:',
    'for roleId in union(appRoles, account.properties.keys):',
  ],
  [
    'a condition that is read',
    'known-at-start',
    'modules/topics.bicep',
    "= if (events == 'queue') {\n  name: guid(storage::queueService::interruptions.id, token, 'health')",
    "= if (events == 'queue' && storage.properties.isHnsEnabled) {\n  name: guid(storage::queueService::interruptions.id, token, 'health')",
  ],
]

/** A file that cannot be read hides what it declares from those that name it. */
const FOLLOWING: { readonly [rule: string]: readonly string[] } = {
  'use-resource-symbol-reference': ['undeclared', 'evaluate'],
  'role-definition-type': ['roles'],
  undeclared: ['evaluate', 'unused', 'parameters', 'no-unused-imports', 'no-unused-funcs', 'no-unused-existing-resources'],
  parse: ['evaluate', 'module-parameters', 'orphans'],
  'module-parameters': ['evaluate', 'parameters', 'orphans', 'missing-property'],
  'known-at-start': ['evaluate', 'no-unused-params'],
}

describe.skipIf(!isHere)(`planted mistakes${isHere ? '' : ' (skipped: ../shared/data is absent)'}`, () => {
  let found = 0

  it.each(MISTAKES)('%s', async (_, rule, file, old, by) => {
    const path = `infra/${file}`
    const text = sources.readText(path) ?? ''
    expect(text, `${path} no longer has the text that the mistake replaces`).toContain(old)
    const readText = (each: string): string | undefined => (each === path ? text.replace(old, () => by) : sources.readText(each))
    const { findings } = await checkInfra({ ...sources, layers, readText })
    const rules = new Set(findings.map((each) => each.rule))
    const others = [...rules].filter((each) => each !== rule && FOLLOWING[rule]?.includes(each) !== true)
    expect({ has: rules.has(rule), others }, JSON.stringify(findings.slice(0, 6), undefined, 1)).toEqual({ has: true, others: [] })
    found += 1
  })

  it('are of forty kinds at least, each another', () => {
    expect(new Set(MISTAKES.map(([kind]) => kind)).size).toBe(MISTAKES.length)
    expect(MISTAKES.length).toBeGreaterThanOrEqual(40)
  })

  it('reach every rule', () => {
    const folder = join(repositoryRoot, 'infra/check/rules')
    const source = readdirSync(folder)
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'azureYaml.ts')
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
    const rules = [...source.matchAll(/(?:finding|resourceRule|partRule)\(\s*'([a-zA-Z-]+)'|\brule: '([a-z-]+)'/g)].map(
      ([, one, two]) => one ?? two,
    )
    expect(rules.length).toBeGreaterThan(30)
    const reached = new Set(MISTAKES.map(([, rule]) => rule))
    expect([...new Set(rules)].filter((rule) => rule !== undefined && !reached.has(rule))).toEqual([])
  })

  it('do not stand in the templates already', async () => {
    expect((await checkInfra({ ...sources, layers })).findings).toEqual([])
  })

  afterAll(() => console.log(`planted mistakes found: ${found} of ${MISTAKES.length}`))
})

// Logs, metrics and traces of the app. Nothing is written with a key.
param workspaceName string
param componentName string
param location string
param tags object

@description('Id of a workspace that exists; empty makes one.')
param workspaceId string

@minValue(1)
@maxValue(100)
param dailyCapGb int

@minValue(30)
@maxValue(730)
param retentionDays int
param appPrincipalId string

var roleId = loadJsonContent('../roles.json').builtIn.monitoringMetricsPublisher

resource workspace 'Microsoft.OperationalInsights/workspaces@2025-07-01' = if (empty(workspaceId)) {
  name: workspaceName
  location: location
  tags: tags
  properties: {
    sku: { name: 'PerGB2018' }
    retentionInDays: retentionDays
    workspaceCapping: { dailyQuotaGb: dailyCapGb }
    features: { disableLocalAuth: true, enableLogAccessUsingOnlyResourcePermissions: true }
  }
}

resource component 'Microsoft.Insights/components@2020-02-02' = {
  name: componentName
  location: location
  tags: tags
  kind: 'web'
  properties: {
    Application_Type: 'web'
    WorkspaceResourceId: empty(workspaceId) ? workspace.id : workspaceId
    IngestionMode: 'LogAnalytics'
    DisableLocalAuth: true
  }
}

resource publisher 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(component.id, appPrincipalId, roleId)
  scope: component
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', roleId)
    principalId: appPrincipalId
    principalType: 'ServicePrincipal'
  }
}

output workspaceId string = empty(workspaceId) ? workspace.id : workspaceId
output connectionString string = component.properties.ConnectionString

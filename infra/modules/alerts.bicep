// Alert rules over the logs of the app, and over events that Event Grid could not deliver. Each names the page of the repository that helps.
param token string
param location string
param tags object
param workspaceId string

@description('Id of an action group that exists; empty makes one where there is an address to write to.')
param actionGroupId string

@description('Address that the new action group sends e-mail to; empty makes none.')
@maxLength(254)
param email string

@description('Topics of the clusters.')
param topicIds array

var rules = loadJsonContent('../alerts/alerts.json')
var hasOwnGroup = empty(actionGroupId) && !empty(email)
var groupIds = hasOwnGroup ? [actionGroup.id] : (empty(actionGroupId) ? [] : [actionGroupId])

resource actionGroup 'Microsoft.Insights/actionGroups@2023-01-01' = if (hasOwnGroup) {
  name: 'ag-joiner-${token}'
  location: 'global'
  tags: tags
  properties: {
    groupShortName: 'joiner'
    enabled: true
    emailReceivers: [{ name: 'operators', emailAddress: email, useCommonAlertSchema: true }]
  }
}

resource logAlerts 'Microsoft.Insights/scheduledQueryRules@2023-12-01' = [
  for rule in rules: {
    name: 'joiner-${rule.name}-${token}'
    location: location
    tags: tags
    kind: 'LogAlert'
    properties: {
      displayName: 'Joiner: ${rule.about}'
      description: 'What to do: ${rule.runbook}'
      severity: rule.severity
      enabled: true
      scopes: [workspaceId]
      evaluationFrequency: rule.frequency
      windowSize: rule.window
      autoMitigate: true
      // A new workspace has no tables yet.
      skipQueryValidation: true
      criteria: {
        allOf: [
          {
            query: rule.query
            timeAggregation: 'Count'
            operator: rule.operator
            threshold: rule.threshold
            dimensions: map(rule.dimensions, name => { name: name, operator: 'Include', values: ['*'] })
            failingPeriods: { numberOfEvaluationPeriods: 1, minFailingPeriodsToAlert: 1 }
          }
        ]
      }
      actions: { actionGroups: groupIds }
    }
  }
]

// An event that cannot be delivered becomes a dead letter. It is dropped if the dead letter cannot be written either.
var losses = [
  { name: 'dead-letters', metric: 'DeadLetteredCount', about: 'Event Grid could not deliver an event about a machine.' }
  { name: 'dropped-events', metric: 'DroppedEventCount', about: 'Event Grid lost an event about a machine.' }
]

resource lostEvents 'Microsoft.Insights/metricAlerts@2018-03-01' = [
  for at in range(0, length(topicIds) * 2): {
    name: 'joiner-${losses[at % 2].name}-${at / 2}-${token}'
    location: 'global'
    tags: tags
    properties: {
      description: '${losses[at % 2].about} What to do: docs/runbooks/dead-letters.md'
      severity: 2
      enabled: true
      scopes: [topicIds[at / 2]]
      evaluationFrequency: 'PT15M'
      windowSize: 'PT15M'
      criteria: {
        'odata.type': 'Microsoft.Azure.Monitor.SingleResourceMultipleMetricCriteria'
        allOf: [
          {
            criterionType: 'StaticThresholdCriterion'
            name: 'lost'
            metricName: losses[at % 2].metric
            timeAggregation: 'Total'
            operator: 'GreaterThan'
            threshold: 0
          }
        ]
      }
      autoMitigate: true
      actions: map(groupIds, id => { actionGroupId: id })
    }
  }
]

// The page in the portal that shows what Joiner does, and why.
param token string
param location string
param tags object
param workspaceId string

resource workbook 'Microsoft.Insights/workbooks@2023-06-01' = {
  name: guid(resourceGroup().id, token, 'workbook')
  location: location
  tags: tags
  kind: 'shared'
  properties: {
    displayName: 'Joiner ${token}'
    category: 'workbook'
    sourceId: workspaceId
    serializedData: loadTextContent('../workbook/workbook.json')
  }
}

output id string = workbook.id

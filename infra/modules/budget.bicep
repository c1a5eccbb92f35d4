// Notifies when the resource group costs more than expected in a month.
@minValue(1)
param amount int
param start string
param email string

resource budget 'Microsoft.Consumption/budgets@2024-08-01' = {
  name: 'joiner'
  properties: {
    amount: amount
    category: 'Cost'
    timeGrain: 'Monthly'
    timePeriod: { startDate: start }
    notifications: {
      spent: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 100
        thresholdType: 'Actual'
        contactEmails: empty(email) ? [] : [email]
        contactRoles: ['Owner']
      }
      forecast: {
        enabled: true
        operator: 'GreaterThan'
        threshold: 100
        thresholdType: 'Forecasted'
        contactEmails: empty(email) ? [] : [email]
        contactRoles: ['Owner']
      }
    }
  }
}

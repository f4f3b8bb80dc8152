// A module, so that it shares the charts of GraphiQL's panels.
void import('./panels/boards/main.js').catch(parleyFailed);

const { description } = JSON.parse(document.querySelector('#options').textContent);

const ui = SwaggerUIBundle({
  url: description,
  dom_id: '#root',
  deepLinking: true,
  displayRequestDuration: true,
  filter: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: async () => {
    const token = await parleySession;
    if (!token) return;
    const schemes = ui.specSelectors.specJson().getIn(['components', 'securitySchemes']);
    schemes?.forEach((scheme, name) => {
      if (scheme.get('scheme') === 'bearer') ui.preauthorizeApiKey(name, token);
    });
  },
});

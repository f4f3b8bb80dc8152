export default {
  input: '../openapi.json',
  output: { path: './client', module: { extension: '.js' } },
  plugins: ['@hey-api/client-fetch'],
};

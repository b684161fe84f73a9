// Builds what native/ needs at install. The token core adds its steps here.

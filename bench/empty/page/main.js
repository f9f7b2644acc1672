performance.mark('ready');
